#!/usr/bin/env bash
# Makes the certificates of the tests: an authority, and a server called tls.example. They protect nothing and last a hundred years.
set -euo pipefail
cd "$(dirname "$0")"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout authority.key -out authority.pem -days 36500 \
    -subj "/CN=Test authority" -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign" 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj "/CN=tls.example" 2>/dev/null
printf 'subjectAltName=DNS:tls.example\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' >server.ext
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 36500 -extfile server.ext -out server.pem 2>/dev/null
openssl x509 -in authority.pem -outform der -out authority.der
openssl x509 -in server.pem -outform der -out server.der
openssl pkcs8 -topk8 -nocrypt -in server.key -outform der -out server-key.der
rm -f authority.key authority.pem authority.srl server.key server.csr server.ext server.pem
