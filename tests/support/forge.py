"""A fake of the part of GitHub's API that comments need. It prints its port, keeps the comments in FILE, and
writes each request to FILE.log. Usage: forge.py FILE TOKEN AUTHOR"""
import json
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

FILE, TOKEN, AUTHOR = sys.argv[1:]


class Forge(BaseHTTPRequestHandler):
    def answer(self, code, value):
        text = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_any(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size) or "null")
        with open(FILE + ".log", "a") as log:
            log.write(f"{self.command} {self.path}\n")
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"message": "Bad credentials"})
        if body is not None and len(body["body"]) > 65536:
            return self.answer(422, {"message": "body is too long (maximum is 65536 characters)"})
        with open(FILE) as file:
            comments = json.load(file)
        url = urlsplit(self.path)
        of_issue = re.fullmatch(r"/repos/o/r/issues/7/comments", url.path)
        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", url.path)
        if of_issue and self.command == "GET":
            query = parse_qs(url.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return self.answer(200, comments[(page - 1) * size : page * size])
        if of_issue and self.command == "POST":
            comment = {"id": 1000 + len(comments), "user": {"login": AUTHOR}, "body": body["body"]}
            comments.append(comment)
        elif one and self.command == "PATCH":
            comment = next(c for c in comments if c["id"] == int(one[1]))
            comment["body"] = body["body"]
        else:
            return self.answer(404, {"message": "Not Found"})
        with open(FILE, "w") as file:
            json.dump(comments, file)
        self.answer(201, comment)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Forge)
print(server.server_address[1], flush=True)
server.serve_forever()
