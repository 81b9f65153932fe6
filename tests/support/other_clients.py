"""Storage of PyIceberg for stores that Arrow's own clients can't reach here."""

from fsspec import AbstractFileSystem
from hdfs_native.fsspec import HdfsFileSystem
from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem, S3FileSystem
from pyiceberg.io.pyarrow import PyArrowFileIO


class GoogleByS3(PyArrowFileIO):
    """For `gs://` paths of the store server, which serves its objects by the API of S3 as well."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        if scheme != "gs":
            return super()._initialize_fs(scheme, netloc)
        endpoint = self.properties["gcs.service.host"]
        return S3FileSystem(access_key="writer", secret_key="x", endpoint_override=endpoint, region="us-east-1")


class HdfsByFsspec(PyArrowFileIO):
    """For `hdfs://` paths without libhdfs."""

    def _initialize_fs(self, scheme: str, netloc: str | None = None) -> FileSystem:
        host, _, port = (netloc or "").partition(":")
        files: AbstractFileSystem = HdfsFileSystem(host=host, port=int(port))
        return PyFileSystem(FSSpecHandler(files))
