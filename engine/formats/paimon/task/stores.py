"""Object stores of the core: its S3 file system from a second jar, and files that are only written if they are missing.

Paimon publishes a snapshot by renaming a file, which S3 does not have: its file system asks whether the target exists
and then copies over it, so that of two commits at once the second replaces the first, and its rows are lost. So a
commit of Packhouse has the core write the snapshot to a local folder, and puts it in its place with a conditional
request (`If-None-Match: *`), which never replaces a snapshot. `docs/reference/paimon.md` lists its limits.
"""

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from engine.formats.paimon.task.places import upload_folder
from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused

if TYPE_CHECKING:
    from engine.formats.paimon.task.core_process import CoreProcess

_SECRETS: Final = ("s3.access-key", "s3.secret-key", "s3.session.token")
_CONDITIONAL: Final = "fs.option.create.conditional.overwrite"
_PROBE: Final = b"packhouse"
_SHORTEST: Final = 4
"""Characters: a shorter value is not a secret, and its removal would make a text unreadable."""


def without_secrets(text: str, storage: Mapping[str, str]) -> str:
    """Return a text without the credentials among the options of a store."""
    for name in _SECRETS:
        value = storage.get(name, "")
        if len(value) >= _SHORTEST:
            text = text.replace(value, "***")
    return text


def file_io(jvm: Any, location: str, storage: Mapping[str, str]) -> Any:
    """Return the core's file system for a location: that of its S3 jar if there are options, otherwise by its scheme.

    Created directly: the core's own choice wants an access key in the options, which instance roles don't have.
    """
    paimon = jvm.org.apache.paimon
    options = paimon.options.Options()
    for name, value in storage.items():
        options.set(name, value)
    if storage:
        options.set("s3.buffer.dir", str(upload_folder()))
    context = paimon.catalog.CatalogContext.create(options)
    path = paimon.fs.Path(location)
    if not storage:
        return paimon.fs.FileIO.get(path, context)
    found = paimon.s3.S3Loader().load(path)
    found.configure(context)
    return found


class ConditionalFiles:
    """Files of an S3 store that are created only if they are missing.

    Args:
        child: the JVM.
        store: the file system of `file_io`.
        folder: any folder of the bucket.
    """

    def __init__(self, child: "CoreProcess", store: Any, folder: str) -> None:
        self._child, self._store, self._folder = child, store, folder
        jvm = child.jvm
        self._path = jvm.org.apache.paimon.fs.Path
        inner = self._hidden(store, "fileIO", self._path(folder))
        self._inner = inner
        self._s3a = self._hidden(inner, "getFileSystem", self._hidden(inner, "path", self._path(folder)))

    def create(self, path: str, content: bytes) -> None:
        """Create a file. An error does not prove that it was not created: an answer can be lost.

        Raises:
            Py4JError: it exists, or the store did not answer.
        """
        builder = self._s3a.createFile(self._hidden(self._inner, "path", self._path(path)))
        builder.opt(_CONDITIONAL, True)
        builder.overwrite(True)  # otherwise it also asks whether the file exists, with two more requests
        stream = builder.build()
        stream.write(bytearray(content))
        stream.close()

    def require_support(self, place: str) -> None:
        """Check that the store refuses to create a file that exists; asked once for each store by a JVM.

        Args:
            place: the store and bucket.

        Raises:
            Refused: it replaces the file.
        """
        if place in self._child.conditional_stores:
            return
        path = f"{self._folder}/.packhouse-{uuid.uuid4()}.tmp"
        # the usual way: the first write of a JVM has to find Hadoop's other file systems by the plugin's class loader
        stream = self._store.newOutputStream(self._path(path), False)
        stream.write(bytearray(_PROBE))
        stream.close()
        try:
            self.create(path, _PROBE)
        except Exception as error:
            if not self._exists_already(error):
                raise
        else:
            raise Refused(
                UNSUPPORTED_STORAGE,
                f"the store of {self._folder} ignores If-None-Match: a commit could replace that of another writer",
            )
        finally:
            self._store.delete(self._path(path), False)
        self._child.conditional_stores.add(place)

    def _exists_already(self, error: Exception) -> bool:
        return "PreconditionFailed" in (text := str(self._child.explained(error))) or "Status Code: 412" in text

    def _hidden(self, target: Any, name: str, argument: Any) -> Any:
        """Call a method of one argument that is not public."""
        kind = target.getClass()
        while True:
            for method in kind.getDeclaredMethods():
                if method.getName() == name and len(method.getParameterTypes()) == 1:
                    method.setAccessible(True)
                    return method.invoke(target, self._child.array(argument))
            kind = kind.getSuperclass()
            if kind is None:
                raise AttributeError(f"Paimon's file system has no method {name}: the jars are of another version")
