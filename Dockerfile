# docker build -t pglockdep . && docker run --rm -v "$PWD:/src" pglockdep check ./...
FROM golang:1.26-bookworm AS build
WORKDIR /build
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -o /pglockdep ./cmd/pglockdep

# Reading a program needs the go command, so the image keeps it.
FROM golang:1.26-bookworm
COPY --from=build /pglockdep /usr/local/bin/pglockdep
WORKDIR /src
ENTRYPOINT ["pglockdep"]
