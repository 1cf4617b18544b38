#!/usr/bin/env python3
"""A Kubernetes API server of the tests' own, as far as a metrics client meets one: TLS, a caller who
must show who he is, services behind its proxy, ConfigMaps. Reads its settings from the JSON file
given, prints its port, and serves until it is ended."""

import http.client
import http.server
import json
import ssl
import sys
import threading
import urllib.parse

settings = json.load(open(sys.argv[1]))
upstream = urllib.parse.urlsplit(settings["upstream"])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(settings["cert"], settings["key"])
context.load_verify_locations(settings["client_ca"])
context.verify_mode = ssl.CERT_OPTIONAL
context.maximum_version = ssl.TLSVersion.TLSv1_2  # refuses a certificate within the handshake, not after it


class ApiServer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def setup(self):
        self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, message):
        said = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": status}
        self.answer(status, json.dumps(said).encode())

    def caller(self):
        certificate = self.request.getpeercert() or {}
        names = [value for rdn in certificate.get("subject", ()) for key, value in rdn if key == "commonName"]
        return {"authorization": self.headers.get("Authorization", ""), "certificate": names[0] if names else "",
                "impersonate": self.headers.get("Impersonate-User", "")}

    def proxy(self, path, body):
        connection = http.client.HTTPConnection(upstream.hostname, upstream.port)
        headers = {"Content-Type": self.headers["Content-Type"]} if body else {}
        connection.request(self.command, path, body or None, headers)
        reply = connection.getresponse()
        self.answer(reply.status, reply.read(), reply.getheader("Content-Type", "text/plain"))
        connection.close()

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        caller = self.caller()
        if any(caller[key] != value for key, value in settings["caller"].items()):
            return self.refuse(401, "Unauthorized")
        service = "/api/v1/namespaces/monitoring/services/prometheus-k8s:9090/proxy"
        if self.path.startswith(service + "/"):
            if self.command == "POST":
                return self.refuse(403, 'cannot create resource "services/proxy"')
            return self.proxy(self.path[len(service):], body)
        split = urllib.parse.urlsplit(self.path)
        if split.path == "/api/v1/services":
            labels = urllib.parse.parse_qs(split.query)["labelSelector"][0]
            items = settings.get("services", {}).get(labels.split(",")[0], [])
            return self.answer(200, json.dumps({"kind": "ServiceList", "items": items}).encode())
        parts = self.path.split("/")
        if parts[3:4] == ["namespaces"] and parts[5:6] == ["configmaps"]:
            data = settings["configmaps"].get(parts[4] + "/" + parts[6])
            if data is not None:
                return self.answer(200, json.dumps({"kind": "ConfigMap", "data": data}).encode())
        if "/services/empty:" in self.path:
            return self.refuse(503, 'no endpoints available for service "empty"')
        if "/services/secret:" in self.path:
            return self.refuse(403, 'services "secret" is forbidden: User "alice" cannot get it')
        return self.refuse(404, "%s \"%s\" not found" % (parts[5], parts[6]))

    do_POST = do_GET


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", 0), ApiServer)
print(server.server_address[1], flush=True)
server.serve_forever()
