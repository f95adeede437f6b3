# Claimkeeper on a PostgreSQL of your own, which DATABASE_URL names. How to run it: docs/operating/install.md.
# Tried with buildah and podman on a base made of Debian 12 and Node 26; not tried on the image below, nor with Docker.
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY . .
# The image contains what the npm package contains: bundled code, without node_modules.
RUN npm ci && npm pack && mkdir /claimkeeper && tar -xzf claimkeeper-*.tgz --strip-components=1 -C /claimkeeper

FROM ${NODE_IMAGE}
COPY --from=build /claimkeeper /claimkeeper
WORKDIR /claimkeeper
ENV NODE_ENV=production HOST=0.0.0.0
# By number: Kubernetes can then see that it is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
# Whether the process lives; whether the database does is /readyz, and no reason to start this one again.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/claimkeeper/bin/claimkeeper.cjs"]
CMD ["serve"]
