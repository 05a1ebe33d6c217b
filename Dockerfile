# Owns the image of the whole service: the Worker in workerd, a small Node process beside it, and the
# pages. No wrangler, no miniflare, no compiler. What runs it and what it needs: docs/container.md.
#   docker build -t kritai .
#   docker buildx build --platform linux/amd64,linux/arm64 -t kritai .
# Releases name the base by its digest: --build-arg NODE_IMAGE=node:24.21.0-slim@sha256:...
ARG NODE_IMAGE=node:24.21.0-slim

# The same for every platform: texts.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY gpu-backend/package.json ./gpu-backend/package.json
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src ./src
COPY scripts ./scripts
COPY gpu-backend ./gpu-backend
COPY migrations ./migrations
COPY docs ./docs
RUN node scripts/stack/commands/image.ts /image && mkdir /data

# Of the dependencies only workerd is kept, built for the platform that the image is for.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS runtime
ARG TARGETARCH
WORKDIR /runtime
COPY package.json package-lock.json ./
COPY gpu-backend/package.json ./gpu-backend/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --cpu="$([ "$TARGETARCH" = arm64 ] && echo arm64 || echo x64)"
RUN mkdir /image && cp -r --parents node_modules/workerd/package.json node_modules/workerd/lib node_modules/@cloudflare/workerd-linux-* /image

# Nothing runs here, so no platform needs another's emulator.
FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=runtime /image ./
COPY --from=build /image ./
COPY --from=build --chown=1000:1000 /data /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data LOG_LEVEL=info
USER 1000:1000
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/stack/serve.mjs"]
