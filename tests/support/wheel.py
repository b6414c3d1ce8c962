"""Creates a wheel with a program, in maturin's layout: wheel.py PROGRAM VERSION DIRECTORY."""

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile

program, version, directory = sys.argv[1:]
tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
info = f"applyorder-{version}.dist-info"
files = {
    f"applyorder-{version}.data/scripts/applyorder": open(program, "rb").read(),
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: applyorder\nVersion: {version}\n".encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
}
record = ""
for name, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(data)}\n"
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
os.makedirs(directory, exist_ok=True)
path = os.path.join(directory, f"applyorder-{version}-{tag}.whl")
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o100755 << 16
        wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
