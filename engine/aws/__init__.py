"""The only home of boto3: sessions with the credentials of AWS, and the queue of SQS from which events are read."""
