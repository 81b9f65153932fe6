# One image, several commands: packhouse-server migrate (before a new version), then api | worker | coordinator; and the
# command line:
#   docker run --rm --entrypoint packhouse -e PACKHOUSE_URL -e PACKHOUSE_API_KEY packhouse tables list
#   docker build -t packhouse .                                   the server; Spark, Redis and Postgres are services of yours
#   docker build -t packhouse:embedded --target embedded .        the same, Java 17 and Redis, for `packhouse-server up`
# The Python minor version has to be the one of the Spark executors: rewrites run there as Python tasks. How a release is
# built, and what the image is checked for: docs/how-to/containers.md.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS projects
RUN pip install --no-cache-dir 'uv>=0.9,<1'
WORKDIR /src
ENV UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY pyproject.toml uv.lock ./
COPY clients/python/pyproject.toml clients/python/
COPY clients/cli/pyproject.toml clients/cli/

FROM projects AS console
RUN --mount=type=cache,target=/root/.cache/uv uv sync --frozen --only-group node
COPY scripts/console scripts/console-bom scripts/node-packages scripts/
COPY docs/policy.schema.json docs/
COPY clients/typescript clients/typescript
COPY clients/console clients/console
RUN --mount=type=cache,target=/root/.npm scripts/console \
    && PATH=$PWD/.venv/bin:$PATH scripts/console-bom > /src/console.cdx.json

FROM projects AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libkrb5-dev && rm -rf /var/lib/apt/lists/*
ENV UV_PROJECT_ENVIRONMENT=/opt/packhouse UV_COMPILE_BYTECODE=1 WITH="--frozen --no-dev --all-packages --extra aws --extra hdfs --extra kerberos --extra mysql --extra oidc --extra otel"
COPY . .
COPY --from=console /src/clients/console/dist clients/console/dist

FROM build AS with-client
RUN --mount=type=cache,target=/root/.cache/uv uv sync $WITH --extra connect --no-editable \
    && /opt/packhouse/bin/python scripts/licences > /opt/packhouse/licences.tsv \
    && mkdir /opt/packhouse/sbom && uv export --quiet $WITH --extra connect --format cyclonedx1.5 \
        --output-file /opt/packhouse/sbom/server.cdx.json
COPY --from=console /src/console.cdx.json /opt/packhouse/sbom/

FROM build AS with-spark
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/*
RUN --mount=type=cache,target=/root/.cache/uv uv sync $WITH --extra embedded --no-editable \
    && /opt/packhouse/bin/python scripts/licences > /opt/packhouse/licences.tsv \
    && mkdir /opt/packhouse/sbom && uv export --quiet $WITH --extra embedded --format cyclonedx1.5 \
        --output-file /opt/packhouse/sbom/server.cdx.json
COPY --from=console /src/console.cdx.json /opt/packhouse/sbom/
# Paimon's core, which workers send to Spark: only here is what downloads it, so both images get it from here.
RUN /opt/packhouse/bin/python -m engine.embedded.jars /opt/jars \
    org.apache.paimon:paimon-bundle:1.4.2 org.apache.paimon:paimon-s3:1.4.2

FROM python:${PYTHON} AS runtime
# Nothing here installs packages or changes its user: no pip, and no file that runs as its owner.
RUN apt-get update && apt-get install -y --no-install-recommends libgssapi-krb5-2 && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 packhouse && useradd --create-home --uid 10001 --gid 10001 packhouse \
    && install -d -o packhouse -g packhouse /var/lib/packhouse /srv/lake \
    && python -m pip uninstall --quiet --yes --root-user-action ignore pip setuptools wheel \
    && rm -rf "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')/ensurepip" /root/.cache \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY LICENSE NOTICE /usr/share/doc/packhouse/
COPY --from=with-spark /opt/jars /opt/jars
ENV PATH=/opt/packhouse/bin:$PATH PYTHONUNBUFFERED=1 PACKHOUSE_DATA_DIR=/var/lib/packhouse PACKHOUSE_HOST=0.0.0.0 \
    PACKHOUSE_PAIMON_JAR=/opt/jars/paimon-bundle-1.4.2.jar PACKHOUSE_PAIMON_S3_JAR=/opt/jars/paimon-s3-1.4.2.jar
WORKDIR /var/lib/packhouse
VOLUME /var/lib/packhouse
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["packhouse-server"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["packhouse-server", "health"]

# The commit, which metrics, log and GET /v1/system show too: docker build --build-arg REVISION=$(git rev-parse HEAD) …
ARG REVISION=
ARG VERSION=
ARG CREATED=
ARG SOURCE=
ENV PACKHOUSE_REVISION=$REVISION
LABEL org.opencontainers.image.title="Packhouse" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.created=$CREATED \
      org.opencontainers.image.source=$SOURCE \
      org.opencontainers.image.licenses="Apache-2.0"

FROM runtime AS embedded
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless redis-server \
    && rm -rf /var/lib/apt/lists/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY --from=with-spark /opt/packhouse /opt/packhouse
USER 10001:10001
CMD ["up"]

FROM runtime AS server
COPY --from=with-client /opt/packhouse /opt/packhouse
USER 10001:10001
CMD ["api"]
