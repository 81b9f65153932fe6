"""The only home of boto3: the queue of SQS from which events of S3 are read."""
