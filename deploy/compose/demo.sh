# Write a table of small files, register it and compact it; exit 0 if the run succeeded, or had nothing to do.
set -eu
lake="${LAKE:-/srv/lake}"
PACKHOUSE_API_KEY="$(cat "${SECRETS:-/run/secrets}/admin_key")"
export PACKHOUSE_API_KEY
python - "$lake" <<'END'
import sys
from engine.domain.errors import StateConflict
from engine.embedded.demo_table import write_demo_table
catalog = {"type": "sql", "uri": f"sqlite:///{sys.argv[1]}/catalog.db", "warehouse": f"file://{sys.argv[1]}"}
try:
    write_demo_table(catalog_properties=catalog, name="demo.web.visits", files=60, partitions=3, total_bytes=4_000_000)
except StateConflict as error:
    print(error)
END
packhouse catalogs set demo -p type=sql -p "uri=sqlite:///$lake/catalog.db" -p "warehouse=file://$lake"
packhouse catalogs discover demo --register --owner-team demo --label metrics=on
packhouse run demo.web.visits --watch
packhouse tables health demo.web.visits
