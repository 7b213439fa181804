"""Sends the files of a directory over TLS, and prints its port: host.py DIRECTORY CERTIFICATE

Its addresses below /plain lead to ones that are not secure.
"""

import functools
import http.server
import ssl
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/plain"):
            self.send_response(302)
            self.send_header("Location", "http://localhost" + self.path)
            self.end_headers()
        else:
            super().do_GET()


handler = functools.partial(Handler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
