"""Properties for access to the files of tables, which catalogs of every format have by the same names."""

from typing import Final

STORE_PREFIXES: Final = ("s3.", "client.", "gcs.", "adls.", "hdfs.")

_WITHOUT_SECRETS: Final = """
client.region client.role-arn client.role-session-name client.profile-name
s3.endpoint s3.region s3.anonymous s3.connect-timeout s3.request-timeout s3.force-virtual-addressing
s3.path-style-access s3.resolve-region s3.role-arn s3.role-session-name s3.profile-name s3.proxy-uri
s3.server-side-encryption s3.sse.type s3.signer s3.signer.endpoint s3.signer.uri s3.requester-pays
adls.account-name adls.auth.shared-key.account.name adls.account-host adls.anon adls.client-id adls.tenant-id
adls.blob-storage-authority adls.blob-storage-scheme adls.dfs-storage-authority adls.dfs-storage-scheme
gcs.project-id gcs.user-project gcs.no-auth gcs.service.host gcs.default-bucket-location gcs.requester-pays
gcs.version-aware gcs.consistency gcs.cache-timeout gcs.access gcs.oauth2.token-expires-at
hdfs.host hdfs.port hdfs.user
"""

PLAIN_OF_STORES: Final = frozenset(_WITHOUT_SECRETS.split())
"""Those of them whose values are not secrets, in lower case."""
