# One image for every program of the product, whose command says which one runs, and one for the simulators:
#
#   docker build -t holdfast/holdfast .
#   docker build --target simulators -t holdfast/simulators .
#
# An image holds a bundle of the sources, the files that it reads, and node. Stack traces have the lines of the sources.
# `node` may be process 1: it takes SIGTERM from the start. BuildKit is not needed.

# deploy/compose/images.env has it with the digest that a release is built on.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /holdfast

# The files that `npm ci` reads and no others, so that its layer is kept until a dependency changes. The additions of
# `npm start` and the tests are left out.
FROM base AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc ! -name '*.crt' -delete \
 && npm pkg delete optionalDependencies devDependencies scripts.postinstall \
 && npm install --package-lock-only --offline --ignore-scripts --loglevel=error

FROM base AS dependencies
# A company's own registry, if it has one. It stays in this stage.
ARG NPM_CONFIG_REGISTRY
COPY --from=manifests /holdfast ./
RUN if cat deploy/build-certificates/*.crt > /tmp/ca 2>/dev/null; then export NODE_EXTRA_CA_CERTS=/tmp/ca; fi \
 && npm ci --omit=dev --ignore-scripts --loglevel=error

FROM dependencies AS bundles
COPY . .
RUN node tools/bundle/src/main.ts dist

FROM base AS runtime
# From here on nothing is installed.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
ENV NODE_ENV=production NODE_COMPILE_CACHE=/holdfast/.compile-cache
# Memory that bursts have needed is given back, and kept small.
ENV MALLOC_ARENA_MAX=2
# Half of these threads look names up. With Node's four, two names whose servers do not answer, such as the identity
# provider's, would keep the database's from being found.
ENV UV_THREADPOOL_SIZE=32
COPY deploy/image/healthcheck /usr/local/bin/
# The cache serves only the user who made it. The file system of a running container is read-only, so it is made here.
RUN mkdir .compile-cache && chown 1000:1000 .compile-cache
STOPSIGNAL SIGTERM
ARG NODE_IMAGE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${NODE_IMAGE}"

# The simulators play banks in development. A ledger outlives its process in a volume.
FROM runtime AS simulators
LABEL org.opencontainers.image.title="Holdfast simulators" \
      org.opencontainers.image.description="Simulators of banks for Holdfast, a card payment gateway"
ENV SIMULATOR_HOST=0.0.0.0 SIMULATOR_PORT=8083 SIMULATOR_LEDGER_FILE=/var/lib/acquirer-simulator/ledger.ndjson \
    HEALTH_PORT=8083 HEALTH_PATH=/livez
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/acquirer-simulator
VOLUME /var/lib/acquirer-simulator
COPY --from=bundles /holdfast/dist/simulators dist/simulators
USER 1000:1000
EXPOSE 8083
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 CMD ["healthcheck"]
ENTRYPOINT ["node"]
CMD ["dist/simulators/bank-simulator.mjs", "sim"]

FROM runtime AS holdfast
LABEL org.opencontainers.image.title="Holdfast" \
      org.opencontainers.image.description="A card payment gateway that a company runs itself"
ENV HEALTH_PORT=9000 HEALTH_PATH=/readyz
COPY --from=bundles /holdfast/dist/holdfast dist/holdfast
# The command for `docker compose exec payments holdfast keys payments`.
RUN ln -s /holdfast/dist/holdfast/holdfast.mjs /usr/local/bin/holdfast && chmod +x dist/holdfast/holdfast.mjs
USER 1000:1000
# Each program is loaded and ends for want of settings: Node's compiled code stays in the cache.
RUN for service in gateway payments refunds webhook-dispatcher settlement console; do \
      if holdfast run $service 2> /tmp/refusal; then exit 1; fi; \
      grep -q 'the configuration is not valid' /tmp/refusal || exit 1; \
    done
EXPOSE 9000
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 CMD ["healthcheck"]
# SIGUSR1 would open a debugger that reads keys and asks for no password.
ENTRYPOINT ["node", "--disable-sigusr1", "/holdfast/dist/holdfast/holdfast.mjs"]
CMD ["--help"]
