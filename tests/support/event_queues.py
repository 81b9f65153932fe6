"""Queues of SQS on moto's server, over HTTP, and what a store puts into them."""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import md5
from http.server import BaseHTTPRequestHandler
from threading import Lock
from typing import Any

import boto3
import pytest
from moto.sqs.models import sqs_backends

from engine.aws import sqs
from engine.aws.sqs import QueueAddress
from tests.support.http_servers import serving
from tests.support.s3_server import BUCKET, S3Server

REGION = "us-east-1"
ACCOUNT = "123456789012"


@dataclass(frozen=True)
class EventQueue:
    """A queue. Its readers have the access key `key`, by which the server can refuse them; the test has `watcher`."""

    client: Any
    url: str
    s3: S3Server

    @property
    def arn(self) -> str:
        return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{self.url.rpartition('/')[2]}"

    @property
    def settings(self) -> dict[str, str]:
        return {"event_queue": self.arn, "event_queue_endpoint": self.s3.url}

    @property
    def address(self) -> QueueAddress:
        found = QueueAddress.of(self.arn, None, self.s3.url)
        assert found is not None
        return found

    def follow_bucket(self) -> None:
        """Let the store put an event of each new and deleted object into the queue."""
        events = {
            "QueueConfigurations": [{"QueueArn": self.arn, "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]}]
        }
        _client("s3", self.s3).put_bucket_notification_configuration(Bucket=BUCKET, NotificationConfiguration=events)

    def send(self, *bodies: Any) -> None:
        """Send messages: texts as they are, anything else as JSON."""
        texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
        for first in range(0, len(texts), 10):
            entries = [{"Id": str(at), "MessageBody": text} for at, text in enumerate(texts[first : first + 10])]
            self.client.send_message_batch(QueueUrl=self.url, Entries=entries)

    def waiting(self, *, hidden: bool = True) -> int:
        """Return the number of messages; `hidden`: with those that were received and not deleted."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"][: 2 if hidden else 1]
        found = self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=names)["Attributes"]
        return sum(int(found[name]) for name in names)

    def show_again(self) -> None:
        """Let the time pass for which received messages are hidden."""
        for message in sqs_backends[ACCOUNT][REGION].queues[self.url.rpartition("/")[2]]._messages:
            message.change_visibility(0)


def event_queue(s3: S3Server, monkeypatch: pytest.MonkeyPatch, **attributes: str) -> EventQueue:
    """Make a queue whose readers don't wait for messages, and have credentials in the environment."""
    monkeypatch.setattr(sqs, "WAIT_SECONDS", 0)
    for name, value in {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "x", "EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    client = _client("sqs", s3)
    return EventQueue(client, client.create_queue(QueueName="packhouse", Attributes=attributes)["QueueUrl"], s3)


@contextmanager
def fast_queue(bodies: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve messages to one reader, each request in constant time; yields the address, and those that are left."""
    waiting, left, lock = deque(enumerate(bodies)), {str(at): body for at, body in enumerate(bodies)}, Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                answer = self._answer(asked)
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _answer(self, asked: Any) -> Any:
            if self.headers["X-Amz-Target"] == "AmazonSQS.ReceiveMessage":
                found = [waiting.popleft() for _ in range(min(len(waiting), asked["MaxNumberOfMessages"]))]
                return {"Messages": [{"MessageId": f"m{at}", "ReceiptHandle": f"{at}", "Body": body,
                                      "MD5OfBody": md5(body.encode()).hexdigest()} for at, body in found]}  # fmt: skip
            for each in asked["Entries"]:
                del left[each["ReceiptHandle"]]
            return {"Successful": [{"Id": each["Id"]} for each in asked["Entries"]], "Failed": []}

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    with serving(Handler) as url:
        yield url, left


def _client(service: str, s3: S3Server) -> Any:
    keys = {"aws_access_key_id": "watcher", "aws_secret_access_key": "x", "region_name": REGION}
    return boto3.client(service, endpoint_url=s3.url, **keys)
