# One Dockerfile for every process; SERVICE names a folder of services/ or tools/, or `installation` of packages/:
#
#   docker build --build-arg SERVICE=payments -t holdfast/payments .
#   docker build --build-arg SERVICE=acquirer-simulator --target acquirer-simulator -t holdfast/acquirer-simulator .
#
# An image holds one program, what it imports, and node. It runs the TypeScript of this repository as it stands: the code
# that was tested, with exact line numbers. `node` itself is process 1 and takes SIGTERM. A service's schema is migrated
# from the service's own image, with the command `program/src/migrate.ts`. BuildKit is not needed.

# deploy/compose/images.env has it with the digest that a release is built on.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /holdfast

FROM base AS program
COPY . .
ARG SERVICE
RUN node deploy/image/select-program.mjs "$SERVICE" \
 && npm install --package-lock-only --offline --ignore-scripts --loglevel=error

# What `npm ci` reads and nothing else, so that its layer is kept until a dependency changes.
FROM base AS manifests
COPY --from=program /holdfast ./
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc ! -name '*.crt' -delete

FROM base AS dependencies
# Where a company has a registry of its own. It stays in this stage.
ARG NPM_CONFIG_REGISTRY
COPY --from=manifests /holdfast ./
RUN if cat deploy/build-certificates/*.crt > /tmp/ca 2>/dev/null; then export NODE_EXTRA_CA_CERTS=/tmp/ca; fi \
 && npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error \
 && npm sbom --package-lock-only --omit=dev --omit=optional --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json

FROM dependencies AS compiled
COPY --from=program /holdfast ./
RUN mkdir .compile-cache && chown 1000:1000 .compile-cache
# The cache serves only the user who made it. The file system of a running container is read-only, so it is made here.
USER 1000:1000
RUN NODE_COMPILE_CACHE=/holdfast/.compile-cache node deploy/image/warm-compile-cache.mjs
USER 0:0
RUN mv deploy/image/healthcheck.mjs . \
 && find deploy -mindepth 1 -maxdepth 1 ! -name settlement-mappings -exec rm -r {} + \
 && rm -f .npmrc

FROM base AS runtime
# From here on nothing is installed.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
ENV NODE_ENV=production NODE_COMPILE_CACHE=/holdfast/.compile-cache
# Memory that bursts have needed is given back, and kept small.
ENV MALLOC_ARENA_MAX=2
COPY --from=compiled /holdfast ./
ENTRYPOINT ["node"]
CMD ["program/src/main.ts"]
STOPSIGNAL SIGTERM
ARG SERVICE
ARG NODE_IMAGE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Holdfast ${SERVICE}" \
      org.opencontainers.image.description="A card payment gateway that a company runs itself: ${SERVICE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"

# What has to be there before the services start: it runs once and has no health.
FROM runtime AS installation
USER 1000:1000

# Plays the bank in development. Its ledger outlives it in a volume.
FROM runtime AS acquirer-simulator
ENV SIMULATOR_HOST=0.0.0.0 SIMULATOR_PORT=8083 SIMULATOR_LEDGER_FILE=/var/lib/acquirer-simulator/ledger.ndjson \
    HEALTH_PORT=8083 HEALTH_PATH=/livez
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/acquirer-simulator
VOLUME /var/lib/acquirer-simulator
USER 1000:1000
EXPOSE 8083
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 CMD ["node", "healthcheck.mjs"]

FROM runtime AS service
ENV HEALTH_PORT=9000 HEALTH_PATH=/readyz
USER 1000:1000
EXPOSE 9000
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 CMD ["node", "healthcheck.mjs"]
