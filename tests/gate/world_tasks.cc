// The rest of a developer's world. Programs that are not installed skip their task.
#include "gate/everyday_tasks.h"

namespace gate {
namespace {

const Task kWorldTasks[] = {
    // --- git beyond files ------------------------------------------------------------------------
    {"git_signing_by_a_key_in_the_workspace", "git ssh-keygen", R"sh(
ssh-keygen -q -t ed25519 -N '' -C a@example.org -f signing
echo "a@example.org $(cut -d' ' -f1,2 signing.pub)" > signers
git init -q -b main p && cd p
signed() { g -c gpg.format=ssh -c user.signingkey="$PWD/../signing" \
  -c gpg.ssh.allowedSignersFile="$PWD/../signers" "$@"; }
signed commit -q -S --allow-empty -m signed
signed log --format='%G? %s'
signed tag -s v1 -m one && signed verify-commit HEAD 2>/dev/null && echo verified
)sh"},
    {"git_hooks_of_the_owner_run", "git",
     R"sh(
echo two >> f
g commit -q -am second
g commit -q --allow-empty -m refused || echo stopped
git log --format=%s
)sh",
     R"sh(
git init -q -b main . && echo one > f && git add f && g commit -q -m first
printf '#!/bin/sh\necho checked\n' > .git/hooks/pre-commit
printf '#!/bin/sh\n! grep -q refused "$1"\n' > .git/hooks/commit-msg
chmod +x .git/hooks/pre-commit .git/hooks/commit-msg
)sh"},
    {"git_init_shared", "git", R"sh(
git init -q -b main --shared=group p && cd p
g commit -q --allow-empty -m first
stat -c %A .git/objects .git/refs
)sh"},
    {"ssh_agent_and_keys", "ssh-agent ssh-add ssh-keygen", R"sh(
ssh-keygen -q -t ed25519 -N '' -C word -f key
eval "$(ssh-agent -s)" >/dev/null
ssh-add -q key
ssh-add -l | cut -d' ' -f3
ssh-agent -k >/dev/null
)sh",
     nullptr, nullptr, kNoSockets},
    // --- compilers and builds --------------------------------------------------------------------
    {"cmake_and_ninja", "cmake ninja gcc", R"sh(
cat > CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.20)
project(p C)
enable_testing()
add_library(l STATIC l.c)
add_executable(p main.c)
target_link_libraries(p l)
add_test(NAME runs COMMAND p)
install(TARGETS p DESTINATION bin)
C
echo 'int l(void) { return 0; }' > l.c
echo 'int l(void); int main(void) { return l(); }' > main.c
cmake -G Ninja -S . -B build >/dev/null
ninja -C build >/dev/null
(cd build && ctest -Q && echo tested)
cmake --install build --prefix out >/dev/null
out/bin/p && ls out/bin
)sh"},
    {"ccache", "ccache gcc", R"sh(
echo 'int f(void) { return 1; }' > f.c
ccache -z >/dev/null
ccache gcc -c f.c -o one.o && ccache gcc -c f.c -o two.o
cmp one.o two.o && ccache --print-stats | grep -E '^(direct_cache_hit|cache_miss)'
)sh"},
    {"make_with_a_job_server", "make", R"sh(
printf 'all: a b c\na b c:\n\t$(MAKE) -s -C $@ all\n' > Makefile
for d in a b c; do mkdir $d; printf 'all: x y z\nx y z:\n\ttouch $@\n' > $d/Makefile; done
make -s -j4
find a b c -type f | sort
)sh"},
    {"address_sanitizer", "gcc", R"sh(
cat > f.c <<'C'
#include <stdlib.h>
int main(int c, char** v) { char* p = malloc(8); p[8 * (c - 1)] = 1; free(p); return v[0] == 0; }
C
gcc -g -fsanitize=address,undefined f.c -o f
./f && echo clean
./f over 2>report || grep -o 'ERROR: AddressSanitizer: heap-buffer-overflow' report
)sh"},
    {"thread_sanitizer", "gcc", R"sh(
cat > f.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* add(void* safe) {
  for (int i = 0; i < 1000; ++i) {
    if (safe) pthread_mutex_lock(&mutex);
    ++shared;
    if (safe) pthread_mutex_unlock(&mutex);
  }
  return 0;
}
int main(int c, char** v) {
  pthread_t a, b;
  void* safe = c > 1 ? 0 : v;
  pthread_create(&a, 0, add, safe);
  pthread_create(&b, 0, add, safe);
  pthread_join(a, 0);
  pthread_join(b, 0);
  puts("done");
}
C
gcc -g -fsanitize=thread f.c -o f
./f
./f race >out 2>&1 || grep -o 'WARNING: ThreadSanitizer: data race' out | head -1
)sh"},
    {"debugger", "gdb gcc", R"sh(
echo 'int f(int n) { return n / (n - 3); } int main(void) { return f(3); }' > f.c
gcc -g -O0 f.c -o f
gdb -q -nx -batch -ex 'break f' -ex run -ex 'print n' -ex 'print n = 4' -ex bt -ex continue ./f \
  2>&1 | grep -oE '^\$[12] = [0-9]|#[01] .* (f|main) |exited with code 04' |
  sed 's/0x[0-9a-f]* in //'
)sh"},
    {"system_call_trace", "strace", R"sh(
strace -f -e trace=openat -o trace sh -c 'cat < f > g' 2>/dev/null || true
echo x > f
strace -f -e trace=openat,mkdir -o trace sh -c 'mkdir d; cat < f > g'
grep -cE '"(f|g)"' trace; grep -o 'mkdir("d", 0777) *= 0' trace
)sh"},
    {"counting_events_of_a_program", "perf", R"sh(
perf stat -x, -e task-clock:u true 2>&1 | grep -cE '^[0-9.]+,msec,task-clock'
)sh",
     nullptr, nullptr, nullptr, R"sh(
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || echo 'perf_event_paranoid is above 2'
)sh"},
    {"without_randomisation", "setarch", R"sh(
setarch -R sh -c 'echo fixed'
)sh"},
    {"memory_checker", "valgrind gcc", R"sh(
echo 'int main(void) { return 0; }' > f.c && gcc -g f.c -o f
valgrind -q --error-exitcode=9 ./f && echo clean
)sh"},
    {"java", "javac java", R"sh(
cat > P.java <<'J'
class P { public static void main(String[] a) { System.out.println("from " + a[0]); } }
J
javac P.java && java P java
)sh"},
    {"cargo_offline", "cargo", R"sh(
cargo init -q --name p --vcs none p && cd p
cargo run -q --offline
)sh"},
    {"go_offline", "go", R"sh(
export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
printf 'module p\n' > go.mod
printf 'package main\nimport "fmt"\nfunc main() { fmt.Println("from go") }\n' > main.go
go run . && go build -o out . && ./out
)sh"},
    {"cargo_from_a_registry_on_the_loopback", "cargo git python3", R"sh(
cargo init -q --lib --name word --vcs none word
echo 'pub fn text() -> &'"'static str"' { "from the registry" }' > word/src/lib.rs
(cd word && cargo package -q --offline --allow-dirty --no-verify 2>/dev/null)
mkdir -p served index/wo/rd && cp word/target/package/word-0.1.0.crate served/
cargo init -q --name app --vcs none app
printf '[dependencies]\nword = { version = "0.1", registry = "own" }\n' > tail
sed -i '/^\[dependencies\]/d' app/Cargo.toml && cat tail >> app/Cargo.toml
echo 'fn main() { println!("{}", word::text()); }' > app/src/main.rs
cat > registry.py <<'P'
import hashlib, http.server, json, os, subprocess, sys, threading
class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *words): super().__init__(*words, directory="served")
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
port = server.server_address[1]
sum = hashlib.sha256(open("served/word-0.1.0.crate", "rb").read()).hexdigest()
place = f"http://127.0.0.1:{port}/{{crate}}-{{version}}.crate"
json.dump({"dl": place}, open("index/config.json", "w"))
json.dump({"name": "word", "vers": "0.1.0", "deps": [], "cksum": sum, "features": {},
           "yanked": False}, open("index/wo/rd/word", "w"))
git = ["git", "-C", "index", "-c", "user.name=A", "-c", "user.email=a@example.org"]
for words in (["init", "-q", "-b", "master"], ["add", "."], ["commit", "-q", "-m", "x"]):
    subprocess.check_call(git + words)
os.environ["CARGO_REGISTRIES_OWN_INDEX"] = "file://" + os.path.realpath("index")
sys.exit(subprocess.call(["cargo", "run", "-q"], cwd="app"))
P
python3 registry.py
)sh",
     nullptr, nullptr, kNoSockets},
    {"go_from_a_proxy_on_the_loopback", "go python3", R"sh(
cat > proxy.py <<'P'
import http.server, os, subprocess, sys, threading, zipfile
at = "served/example.org/word/@v/"
os.makedirs(at)
module = "module example.org/word\n"
open(at + "list", "w").write("v1.0.0\n")
open(at + "v1.0.0.info", "w").write('{"Version":"v1.0.0"}')
open(at + "v1.0.0.mod", "w").write(module)
with zipfile.ZipFile(at + "v1.0.0.zip", "w") as archive:
    top = "example.org/word@v1.0.0/"
    archive.writestr(top + "go.mod", module)
    archive.writestr(top + "word.go", 'package word\n\nconst Text = "from the proxy"\n')
class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *words): super().__init__(*words, directory="served")
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(GOPROXY=f"http://127.0.0.1:{server.server_address[1]}", GONOSUMDB="*",
                  GONOSUMCHECK="1", GOFLAGS="-mod=mod -modcacherw", GOTOOLCHAIN="local",
                  GOSUMDB="off")
sys.exit(subprocess.call(["go", "run", "."], cwd="app"))
P
mkdir app && printf 'module app\n\nrequire example.org/word v1.0.0\n' > app/go.mod
printf 'package main\nimport ("fmt"; "example.org/word")\n' > app/main.go
echo 'func main() { fmt.Println(word.Text) }' >> app/main.go
python3 proxy.py
)sh",
     nullptr, nullptr, kNoSockets},
    // --- package managers ------------------------------------------------------------------------
    {"pnpm_offline", "pnpm node", R"sh(
mkdir lib app && echo '{"name":"lib","version":"1.0.0"}' > lib/package.json
echo 'module.exports = "linked"' > lib/index.js
(cd lib && pnpm pack >/dev/null)
cd app && echo '{"name":"app"}' > package.json
pnpm add --offline --silent ../lib/lib-1.0.0.tgz
rm -rf node_modules && pnpm install --offline --frozen-lockfile --silent
readlink node_modules/lib | grep -o '^.pnpm'
node -e 'console.log(require("lib"))'
)sh"},
    {"pnpm_from_a_registry_on_the_loopback", "pnpm node", R"sh(
mkdir lib && echo '{"name":"lib","version":"1.2.3"}' > lib/package.json
echo 'module.exports = "from the registry"' > lib/index.js
(cd lib && pnpm pack >/dev/null)
cat > registry.js <<'J'
const http = require("http"), fs = require("fs"), child = require("child_process");
const tarball = fs.readFileSync("lib/lib-1.2.3.tgz");
const hash = require("crypto").createHash("sha512").update(tarball).digest("base64");
const server = http.createServer((request, response) => {
  const port = server.address().port;
  if (request.url === "/lib") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({name: "lib", "dist-tags": {latest: "1.2.3"}, versions: {"1.2.3": {
      name: "lib", version: "1.2.3",
      dist: {integrity: "sha512-" + hash, tarball: `http://127.0.0.1:${port}/lib.tgz`}}}}));
  } else if (request.url === "/lib.tgz") {
    response.end(tarball);
  } else { response.statusCode = 404; response.end(); }
});
server.listen(0, "127.0.0.1", () => {
  const pnpm = child.spawn("pnpm", ["add", "--silent", "--registry",
    `http://127.0.0.1:${server.address().port}`, "lib"], {stdio: "inherit", cwd: "app"});
  pnpm.on("exit", code => {
    server.close(); server.closeAllConnections(); process.exitCode = code;
  });
});
J
mkdir app && echo '{}' > app/package.json
node registry.js
node -e 'console.log(require("./app/node_modules/lib"))'
)sh",
     nullptr, nullptr, kNoSockets},
    {"npm_offline", "npm node", R"sh(
export npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
mkdir lib app
echo '{"name":"lib","version":"1.0.0","bin":{"say":"say.js"}}' > lib/package.json
printf '#!/usr/bin/env node\nconsole.log("said")\n' > lib/say.js
(cd lib && npm pack --silent)
cd app && npm init -y >/dev/null
npm install --offline --silent ../lib/lib-1.0.0.tgz
npx --offline --no-install say
npm pkg set scripts.test='node -e "console.log(1)"' && npm test --silent
rm -rf node_modules && npm ci --offline --silent && ls node_modules
)sh"},
    {"npm_from_a_registry_on_the_loopback", "npm node", R"sh(
export npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
mkdir lib && echo '{"name":"lib","version":"1.2.3"}' > lib/package.json
echo 'module.exports = "from the registry"' > lib/index.js
(cd lib && npm pack --silent)
cat > registry.js <<'J'
const http = require("http"), fs = require("fs"), child = require("child_process");
const server = http.createServer((request, response) => {
  const port = server.address().port;
  if (request.url === "/lib") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({name: "lib", "dist-tags": {latest: "1.2.3"}, versions: {"1.2.3": {
      name: "lib", version: "1.2.3", dist: {tarball: `http://127.0.0.1:${port}/lib.tgz`}}}}));
  } else if (request.url === "/lib.tgz") {
    response.end(fs.readFileSync("lib/lib-1.2.3.tgz"));
  } else { response.statusCode = 404; response.end(); }
});
server.listen(0, "127.0.0.1", () => {
  const npm = child.spawn("npm", ["install", "--silent", "--prefix", "app", "--registry",
    `http://127.0.0.1:${server.address().port}`, "lib"], {stdio: "inherit"});
  npm.on("exit", code => {
    server.close(); server.closeAllConnections(); process.exitCode = code;
  });
});
J
mkdir app && echo '{}' > app/package.json
node registry.js
node -e 'console.log(require("./app/node_modules/lib"))'
)sh",
     nullptr, nullptr, kNoSockets},
    {"pip_offline", "python3", R"sh(
python3 -m venv env
mkdir -p src/word && echo 'text = "installed"' > src/word/__init__.py
cat > src/setup.py <<'P'
from setuptools import setup
setup(name="word", version="1.0", packages=["word"])
P
env/bin/pip install -q --no-index --no-build-isolation ./src 2>/dev/null
env/bin/python -c 'import word; print(word.text)'
env/bin/pip list 2>/dev/null | grep word | tr -s ' '
)sh"},
    {"pip_from_an_index_on_the_loopback", "python3", R"sh(
cat > index.py <<'P'
import http.server, subprocess, sys, threading, zipfile, os
os.makedirs("simple/word")
name = "word-1.0-py3-none-any.whl"
with zipfile.ZipFile("simple/word/" + name, "w") as wheel:
    wheel.writestr("word.py", "text = 'from the index'")
    info = "word-1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: word\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "RECORD", "word.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n")
open("simple/word/index.html", "w").write(f'<a href="{name}">{name}</a>')
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.check_call([sys.executable, "-m", "venv", "env"])
address = f"http://127.0.0.1:{server.server_address[1]}/simple"
sys.exit(subprocess.call(["env/bin/pip", "install", "-q", "--disable-pip-version-check",
                          "--index-url", address, "word"]))
P
python3 index.py
env/bin/python -c 'import word; print(word.text)'
)sh",
     nullptr, nullptr, kNoSockets},
    // --- servers ---------------------------------------------------------------------------------
    {"sqlite_shell", "sqlite3", R"sh(
sqlite3 base 'create table t(x); insert into t values(1),(2); select sum(x) from t;'
sqlite3 base .dump | sqlite3 copy && sqlite3 copy 'select count(*) from t'
)sh"},
    {"postgres", "initdb pg_ctl psql", R"sh(
mkdir run
initdb -D data -A trust -U me --no-sync >/dev/null
pg_ctl -D data -w -l log -o "-c listen_addresses='' -c unix_socket_directories='$PWD/run'" start \
  >/dev/null
psql -h "$PWD/run" -U me -Atc 'create table t(x int); insert into t select generate_series(1, 9)' \
  postgres
psql -h "$PWD/run" -U me -Atc 'select sum(x) from t' postgres
pg_ctl -D data -w stop -m fast >/dev/null
)sh",
     nullptr, nullptr, kNoSockets},
    {"redis", "redis-check-rdb redis-cli", R"sh(
ln -s "$(command -v redis-check-rdb)" redis-server  # one program, known by its name
./redis-server --port 0 --unixsocket "$PWD/s" --dir "$PWD" >/dev/null & server=$!
while ! redis-cli -s s ping >/dev/null 2>&1; do kill -0 $server; done
redis-cli -s s set key value && redis-cli -s s get key
redis-cli -s s save && redis-cli -s s shutdown nosave || true
ls dump.rdb
)sh",
     nullptr, nullptr, kNoSockets},
    {"http_on_the_loopback", "python3 curl", R"sh(
echo page > page
python3 -u -m http.server --bind 127.0.0.1 0 > log 2>&1 &
until port=$(grep -oE 'port [0-9]+' log | cut -d' ' -f2) && test -n "$port"; do kill -0 $!; done
curl -sS "http://127.0.0.1:$port/page"
curl -sS "http://localhost:$port/page"
kill %1
)sh",
     nullptr, nullptr, kNoSockets},
    {"sockets_of_other_kinds", "python3", R"sh(
python3 - <<'PY'
import socket
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((address, 0))
    client = socket.socket(family, socket.SOCK_DGRAM)
    client.sendto(b'datagram', server.getsockname())
    print(server.recv(100).decode())
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind('\0abstract')
client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
client.sendto(b'abstract', '\0abstract')
print(server.recv(100).decode())
print(sorted(name for _, name in socket.if_nameindex() if name == 'lo'))
PY
)sh",
     nullptr, nullptr, kNoSockets},
    {"node_server_and_workers", "node", R"sh(
node -e '
const http = require("http"), {Worker} = require("worker_threads");
const server = http.createServer((q, r) => r.end("answer")).listen(0, "127.0.0.1", async () => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);
  console.log(await answer.text());
  server.close();
  new Worker("require(\"worker_threads\").parentPort.postMessage(\"work\")", {eval: true})
    .on("message", console.log);
});
'
)sh",
     nullptr, nullptr, kNoSockets},
    // --- terminals -------------------------------------------------------------------------------
    {"tmux", "tmux", R"sh(
export TERM=screen SHELL=/bin/bash
touch conf
t() { tmux -S "$PWD/socket" "$@"; }
t -f conf new-session -d -s s -x 80 -y 24 'bash --norc'
t send-keys -t s "echo \$((6 * 7)) > out; tmux -S '$PWD/socket' wait-for -S done" Enter
t wait-for done
cat out
t kill-server
)sh",
     nullptr, nullptr, kNoSockets},
    {"terminal_of_its_own", "python3 less", R"sh(
seq 50 > lines
python3 - <<'PY'
import os, pty, sys
def output_of(words, keys=b''):
    child, master = pty.fork()
    if child == 0:
        os.environ['TERM'] = 'xterm'
        os.execvp(words[0], words)
    os.write(master, keys)
    text = b''
    try:
        while part := os.read(master, 1000): text += part
    except OSError: pass
    os.waitpid(child, 0)
    return text
print(b'terminal' in output_of(['sh', '-c', 'test -t 0 && test -t 1 && echo terminal']))
print(b'50' in output_of(['less', '-X', 'lines'], b'Gq'))
print(b'rows 24' in output_of(['sh', '-c', 'stty rows 24; stty -a']))
PY
)sh",
     nullptr, nullptr, kNoTerminals},
    {"vi", "vi", R"sh(
printf 'one\ntwo\n' > f
vi -u NONE -N -es -c '%s/two/TWO/' -c 'wq' f
cat f
)sh"},
    {"job_control", "", R"sh(
set -m
sleep 100 &
jobs -r | grep -c Running
kill %1; wait %1 2>/dev/null || echo ended
setsid -w sh -c 'echo session' && nohup sh -c 'echo hup' 2>/dev/null
timeout -s KILL 0.05 sleep 100 || echo "timed out with $?"
)sh"},
    {"looking_at_processes", "ps pgrep", R"sh(
sleep 100 & p=$!
ps -o comm= -p $p; kill -0 $p; tr '\0' ' ' < /proc/$p/cmdline; echo
pgrep -P $$ sleep | grep -c $p
readlink /proc/$p/exe | grep -o 'sleep$'
kill $p; wait $p 2>/dev/null || true
test -r /proc/meminfo && test -r /proc/cpuinfo && test "$(nproc)" -ge 1 && echo machine
)sh"},
    {"priorities_and_limits", "nice taskset", R"sh(
nice -n 5 sh -c 'nice'
taskset -c 0 nproc
ulimit -n 256 && ulimit -n
(ulimit -f 8; dd if=/dev/zero of=big bs=1024 count=100 2>/dev/null || echo 'too large')
(ulimit -v 4000000; echo bounded)
)sh"},
    // --- memory, events, time --------------------------------------------------------------------
    {"shared_memory", "python3", R"sh(
python3 - <<'PY'
import multiprocessing
from multiprocessing import shared_memory
def square(n): return n * n
if __name__ == '__main__':
    block = shared_memory.SharedMemory(create=True, size=100000)
    other = shared_memory.SharedMemory(name=block.name)
    block.buf[:4] = b'both'; print(bytes(other.buf[:4]))
    other.close(); block.close(); block.unlink()
    with multiprocessing.Pool(3) as pool: print(pool.map(square, range(5)))
    lock = multiprocessing.Semaphore(1); print(lock.acquire(), lock.acquire(False))
PY
)sh",
     nullptr, nullptr, kNoNamedMemory},
    {"system_v_memory", "ipcmk ipcrm", R"sh(
id=$(ipcmk -M 4096 | grep -oE '[0-9]+$') && ipcs -m -i "$id" | grep -o bytes=4096
ipcrm -m "$id"
)sh",
     nullptr, nullptr, kNoNamedMemory},
    {"memory_without_a_name", "python3", R"sh(
python3 - <<'PY'
import mmap, os
fd = os.memfd_create('m'); os.write(fd, b'memory'); print(os.pread(fd, 6, 0))
def tell(memory):
    pid = os.fork()
    if pid == 0: memory[:5] = b'child'; os._exit(0)
    os.waitpid(pid, 0); print(memory[:5])
tell(mmap.mmap(-1, 4096))
with open('f', 'w+b') as f: f.truncate(4096); tell(mmap.mmap(f.fileno(), 4096))
PY
)sh"},
    {"file_events", "python3", R"sh(
python3 - <<'PY'
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(os.O_NONBLOCK)
os.mkdir('d')
libc.inotify_add_watch(fd, b'd', 0x3c0 | 0x8)
open('d/f', 'w').write('x'); os.rename('d/f', 'd/g'); os.unlink('d/g')
data, at = os.read(fd, 4096), 0
while at < len(data):
    _, mask, _, size = struct.unpack_from('iIII', data, at)
    print(hex(mask), data[at + 16:at + 16 + size].rstrip(b'\0').decode())
    at += 16 + size
PY
echo one > log; tail -n +1 -f log > seen & p=$!
until grep -q one seen; do :; done; echo two >> log; until grep -q two seen; do :; done
kill $p; cat seen
)sh"},
    {"descriptors_of_events", "python3", R"sh(
python3 - <<'PY'
import asyncio, ctypes, os, select, signal, subprocess, sys
poll = select.epoll(); r, w = os.pipe(); poll.register(r, select.EPOLLIN); os.write(w, b'x')
print(len(poll.poll(1)))
print(os.eventfd_read(os.eventfd(3)))
pid = os.fork()
if pid == 0: os._exit(7)
handle = os.pidfd_open(pid); select.select([handle], [], []); print(os.waitpid(pid, 0)[1] >> 8)
async def main():
    p = await asyncio.create_subprocess_exec(sys.executable, '-c', 'print("child")',
                                             stdout=subprocess.PIPE)
    print((await p.communicate())[0].decode().strip())
asyncio.run(main())
signal.signal(signal.SIGALRM, lambda *_: print('alarm')); signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
PY
)sh"},
    {"time_zone", "python3", R"sh(
TZ=Europe/Berlin date -d @0 '+%H:%M %Z'
TZ=America/New_York python3 -c 'import time; print(time.localtime(0).tm_hour, time.tzname[0])'
python3 -c 'from zoneinfo import ZoneInfo; from datetime import datetime
print(datetime(2024, 7, 1, tzinfo=ZoneInfo("Asia/Tokyo")).isoformat())'
date -d @0 '+%H:%M %Z'
)sh"},
    {"locale", "python3 locale", R"sh(
locale | grep ^LANG=
locale charmap
printf 'z\n\303\251\nA\n' | sort
python3 -c 'import sys, locale; print(sys.getfilesystemencoding(), len("\u00e9\u20ac"))'
printf '\303\251' > "$(printf '\303\251')" && ls -N
)sh"},
    // --- files of a special kind -----------------------------------------------------------------
    {"archives", "zip unzip xz", R"sh(
mkdir -p d/e && echo text > d/e/f && ln -s f d/e/l
zip -qry a.zip d && unzip -q a.zip -d z && cat z/d/e/l
tar cJf a.tar.xz d && mkdir x && tar xJf a.tar.xz -C x && cat x/d/e/f
)sh"},
    {"debian_package", "dpkg-deb", R"sh(
mkdir -p p/DEBIAN p/usr/share/p && echo text > p/usr/share/p/f
printf '%s\n' 'Package: p' 'Version: 1' 'Architecture: all' 'Maintainer: A <a@example.org>' \
  'Description: p' > p/DEBIAN/control
dpkg-deb --root-owner-group -Zgzip -b p p.deb >/dev/null && dpkg-deb -c p.deb | grep -o 'p/f$'
)sh"},
    {"manual_pages", "man", R"sh(
man -P cat ls | grep -c '^NAME'
man -w printf.1 | grep -o 'man1/printf.1'
grep -c /bin/sh /etc/shells
)sh",
     nullptr, nullptr, nullptr, R"sh(
man -w ls printf.1 >/dev/null 2>&1 || echo 'the manual pages are not installed'
)sh"},
    {"directories_of_a_group", "", R"sh(
mkdir d && chmod g+s d && mkdir d/e && touch d/f
stat -c '%A' d d/e
chmod 2755 d && chmod g-s d && stat -c %A d
mkdir -m 2775 m && stat -c %A m
t=$(mktemp -d) && chmod 2770 "$t" && stat -c %A "$t" && rm -r "$t"
install -d -m 2770 i && cp -a i j && stat -c %A i j
)sh"},
    {"sparse_and_reserved_files", "fallocate", R"sh(
truncate -s 1G sparse && stat -c '%s' sparse && du -k sparse | cut -f1
fallocate -l 1M reserved && stat -c %s reserved
fallocate -p -o 0 -l 4096 reserved && cp --sparse=always reserved copy && cmp reserved copy
rm sparse
)sh"},
    {"extended_attributes", "python3", R"sh(
python3 - <<'PY'
import os
open('f', 'w').close()
os.setxattr('f', 'user.word', b'value')
print(os.getxattr('f', 'user.word'), os.listxattr('f'))
os.removexattr('f', 'user.word'); print(os.listxattr('f'))
PY
)sh"},
    {"home_and_temporary_files", "", R"sh(
mkdir -p ~/.cache/tool ~/.config/tool && echo state > ~/.cache/tool/f && cat ~/.cache/tool/f
t=$(mktemp) && echo temporary > $t && cat $t && rm $t
d=$(mktemp -d) && cp ~/.cache/tool/f $d/ && mv $d/f . && cat f
cd && test -w . && echo home
)sh"},
};

}  // namespace

std::span<const Task> world_tasks() { return kWorldTasks; }

}  // namespace gate
