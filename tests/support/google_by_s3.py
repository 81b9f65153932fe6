"""PyIceberg's storage for `gs://` paths of the store server, which serves its objects by the API of S3 as well."""

from pyarrow.fs import FileSystem, S3FileSystem
from pyiceberg.io.pyarrow import PyArrowFileIO


class GoogleByS3(PyArrowFileIO):
    """Arrow's client of S3 on the address that `gcs.service.host` has."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        if scheme != "gs":
            return super()._initialize_fs(scheme, netloc)
        endpoint = self.properties["gcs.service.host"]
        return S3FileSystem(access_key="writer", secret_key="x", endpoint_override=endpoint, region="us-east-1")
