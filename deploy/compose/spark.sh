# Start a Spark Connect server with the Spark and the Python of the image `embedded`; with `ping`, exit 0 if it listens.
#
# It has no password: whoever reaches the port runs code here. Arguments are those of spark-submit.
set -eu
if [ "${1:-}" = ping ]; then
    exec python -c "import socket; socket.create_connection(('127.0.0.1', ${PORT:-15002}), timeout=2)"
fi
PYSPARK_PYTHON="$(command -v python)"
SPARK_HOME="$(python -c 'import pyspark; print(pyspark.__path__[0])')"
export PYSPARK_PYTHON SPARK_HOME
exec bash "$SPARK_HOME/bin/spark-submit" --class org.apache.spark.sql.connect.service.SparkConnectServer \
    --master "local[2]" --driver-memory 2g \
    --conf spark.connect.grpc.binding.port="${PORT:-15002}" \
    --conf spark.local.dir="$PWD/spark" \
    --conf spark.sql.warehouse.dir="$PWD/warehouse" \
    --conf spark.python.task.killTimeout=100ms \
    --conf spark.speculation=false \
    --conf spark.ui.enabled=false \
    "$@" spark-internal
