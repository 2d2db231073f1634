# Belfry in a container: see docs/container.md.
FROM docker.io/library/swift:6.3-bookworm AS builder
WORKDIR /belfry
# This script has the table of packages for building.
COPY scripts/setup scripts/
RUN scripts/setup && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Plugins Plugins
COPY Sources Sources
# The daemon serves these.
COPY docs/openapi.yaml docs/recipes.md docs/command.md docs/
COPY docs/http-api.md docs/http-events.md docs/http-streams.md docs/http-topics.md docs/
COPY docs/http-work.md docs/http-access.md docs/http-errors.md docs/
COPY Tests Tests
COPY Benchmarks Benchmarks
COPY scripts/build-release scripts/
RUN strip -o belfryd "$(scripts/build-release)"

FROM docker.io/library/debian:bookworm-slim
# The libraries that belfryd is linked with, and curl for the health check. Their versions are those
# of Debian 12, which only ever fixes them.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        curl libinih1 libmicrohttpd12 libnettle8 libsqlite3-0 libstdc++6 libsystemd0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 7464 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin belfry \
    && install -d -o belfry -g belfry -m 0700 /var/lib/belfry
COPY --from=builder /belfry/belfryd /usr/bin/belfryd
COPY config/belfryd.conf /etc/belfry/belfryd.conf
COPY LICENSE /usr/share/doc/belfry/LICENSE

# These are all addresses of the container: the option that publishes its port limits access. A
# request that comes to localhost:7464 there has that Host here.
ENV STATE_DIRECTORY=/var/lib/belfry \
    BELFRY_LISTEN_TCP=0.0.0.0:7464
VOLUME /var/lib/belfry
EXPOSE 7464
USER 7464:7464
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["curl", "-fsS", "-o", "/dev/null", "http://localhost:7464/readyz"]
ENTRYPOINT ["belfryd"]
