// Repositories and changes of files.
#include "gate/everyday_tasks.h"

namespace gate {
namespace {

constexpr const char* kProject = R"sh(
git init -q -b main .
echo '*.o' > .gitignore
echo one > README
mkdir src
echo 'int main;' > src/main.c
git add -A
g commit -q -m first
)sh";

}  // namespace

// What people keep in repositories, and others take for secrets or for settings.
const char* const kTrackedSecrets = R"sh(
mkdir -p .vscode .claude certs config
echo KEY=value > .env
echo KEY=test > .env.test
echo '{}' > .vscode/settings.json
echo '{}' > .claude/settings.json
echo certificate > certs/server.pem
echo key > certs/server.key
echo dotted > .bashrc
echo use flake > .envrc
echo KEY=prod > prod.env
echo old > certs/server.key.bak
mkdir .cargo .githooks
echo 'echo hook' > .githooks/post-merge
echo '[tools]' > mise.toml
echo 'nodejs 22' > .tool-versions
echo 'pre-commit:' > lefthook.yml
echo 'nodeLinker: node-modules' > .yarnrc.yml
echo '[build]' > .cargo/config.toml
echo readme > README
git init -q -b main .
git add -A -f
g commit -q -m all
)sh";

namespace {

const Task kFileTasks[] = {
    // --- git: repositories that the session makes ------------------------------------------------
    {"git_init_add_commit", "git", R"sh(
git init -q -b main p && cd p
echo one > a
git add a
g commit -q -m first
echo two >> a
g commit -q -am second
git log --format=%s
git status --porcelain
git fsck --strict
)sh"},
    {"git_config", "git", R"sh(
git init -q -b main p && cd p
git config user.name 'A B'
git config user.email a@example.org
git config pull.rebase true
git config --add remote.x.fetch +refs/heads/*:refs/remotes/x/*
git config core.autocrlf input
git config --unset pull.rebase
git config --rename-section remote.x remote.y
git config --get user.name
git config --get-all remote.y.fetch
git commit -q --allow-empty -m 'by the configured author'
git log --format='%an %s'
)sh"},
    {"git_config_global", "git", R"sh(
git config --global user.name G
git config --global user.email g@example.org
git init -q p && cd p
git commit -q --allow-empty -m x
git log --format=%an
)sh"},
    {"git_remote_and_push", "git", R"sh(
git init -q --bare -b main up.git
git init -q -b main p && cd p
g commit -q --allow-empty -m first
git remote add origin ../up.git
git push -q -u origin main
git status -sb
git remote rename origin upstream
git config branch.main.remote
git remote set-url upstream ../up.git
git fetch -q upstream
git pull -q
git checkout -q -b topic
g commit -q --allow-empty -m second
git push -q -u upstream topic
git -C ../up.git log --format=%s topic
git push -q upstream :topic
git remote remove upstream
git remote
)sh"},
    {"git_branches", "git", R"sh(
git init -q -b main p && cd p
g commit -q --allow-empty -m first
git branch topic
git branch -m topic renamed
git branch -m main trunk
git branch --set-upstream-to=trunk renamed
git branch -m renamed again
git config branch.again.merge
git branch -d again
git branch --format='%(refname:short)'
)sh"},
    {"git_checkout_track", "git", R"sh(
git init -q -b main up && cd up
g commit -q --allow-empty -m first
git branch topic
cd ..
git clone -q up p && cd p
git checkout -q --track origin/topic
git config branch.topic.merge
git switch -q -c other --track origin/main
git config branch.other.merge
)sh"},
    {"git_worktree", "git", R"sh(
git init -q -b main p && cd p
g commit -q --allow-empty -m first
git worktree add -q ../tree
git worktree add -q -b topic ../two
(cd ../tree && echo x > f && git add f && g commit -q -m 'in the worktree')
git log --format=%s tree
git worktree move ../two ../moved
git worktree lock ../moved
git worktree unlock ../moved
git worktree remove ../moved
git worktree remove ../tree
git worktree prune
git worktree list | wc -l
)sh"},
    {"git_submodule", "git", R"sh(
git init -q -b main lib
(cd lib && echo lib > f && git add f && g commit -q -m lib)
git init -q -b main p && cd p
g -c protocol.file.allow=always submodule --quiet add ../lib lib
g commit -q -m 'with a submodule'
git submodule status | cut -d' ' -f3
cat lib/f
cd ..
git -c protocol.file.allow=always clone -q --recurse-submodules p copy
cat copy/lib/f
git -C copy/lib config core.symlinks || echo links
cd copy
git submodule --quiet update --init
git submodule --quiet sync
git submodule --quiet deinit lib
ls lib
)sh"},
    {"git_stash", "git", R"sh(
git init -q -b main p && cd p
echo one > a && git add a && g commit -q -m first
echo two > a && echo new > b
g stash -q -u
git status --porcelain
g stash pop -q
git status --porcelain
g stash push -q -m named
g stash list --format=%gs
g stash drop -q
)sh"},
    {"git_rebase", "git", R"sh(
git init -q -b main p && cd p
echo one > a && git add a && g commit -q -m first
git checkout -q -b topic
echo topic > b && git add b && g commit -q -m topic
echo more >> b && g commit -q -am more
git checkout -q main
echo two > a && g commit -q -am second
git checkout -q topic
g rebase -q main
git log --format=%s
GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' g rebase -q -i HEAD~2
git log --format=%s
echo three > a && g commit -q -am third
git checkout -q main && echo other > a && g commit -q -am other
git checkout -q topic
g rebase main >/dev/null 2>&1 ||
  { echo solved > a; git add a; g rebase --continue >/dev/null 2>&1; }
cat a
g rebase -q --onto main HEAD~1
)sh"},
    {"git_merge", "git", R"sh(
git init -q -b main p && cd p
echo one > a && git add a && g commit -q -m first
git checkout -q -b topic && echo topic > a && g commit -q -am topic
git checkout -q main && echo main > a && g commit -q -am main
g merge -q topic >/dev/null 2>&1 || echo conflict
echo both > a && git add a && g commit -q -m merged
git log --format=%s -1
git checkout -q -b fast && g commit -q --allow-empty -m fast
git checkout -q main && git merge -q --ff-only fast
g merge -q --no-ff topic
g merge -q --squash topic
git log --format=%s | wc -l
)sh"},
    {"git_tags_notes_and_refs", "git", R"sh(
git init -q -b main p && cd p
g commit -q --allow-empty -m first
git tag v1 && g tag -a v2 -m two && git tag -d v1 >/dev/null
git tag .env && git branch config && git branch hooks/x && git branch topic.key
g notes add -m note
git notes show
git update-ref refs/x/y HEAD
git pack-refs --all
git for-each-ref --format='%(refname)'
git reflog --format=%gs
)sh"},
    {"git_clones_into_temporary_directories", "git mktemp", R"sh(
git init -q -b main r && echo x > r/x && git -C r add x && g -C r commit -q -m x
d=$(mktemp -d); git clone -q "$PWD/r" $d/a && git clone -q $d/a $d/b && git -C $d/b log --format=%s
cd $d/a && echo y > y && git add y && g commit -q -m y && git switch -q -c z && git push -q origin z
git -C "$OLDPWD/r" log --format=%s z; git worktree add -q ../w && git -C ../w status --short
git clone -q --bare . ../bare.git && git -C ../bare.git log --format=%s && rm -rf $d && ! test -e $d
)sh"},
    {"git_clones", "git", R"sh(
git init -q -b main up && cd up
echo one > a && git add a && g commit -q -m first && g commit -q --allow-empty -m second
cd ..
git clone -q up hard
git clone -q --shared up shared
git clone -q --no-local up copied
git clone -q --depth 1 "file://$PWD/up" shallow
git clone -q --bare up bare.git
git clone -q --mirror up mirror.git
git clone -q --reference up up reference
(mkdir deeper && cd deeper && git clone -q ../up upwards)
for each in hard shared copied shallow bare.git mirror.git reference deeper/upwards; do
  echo $each $(git -C $each log --format=%s | wc -l)
done
(cd hard && g commit -q --allow-empty -m third && git push -q origin HEAD:refs/heads/topic)
git -C shallow fetch -q --unshallow
git -C mirror.git remote update >/dev/null 2>&1
git -C mirror.git log --format=%s -1 topic
)sh"},
    {"git_gc", "git", R"sh(
git init -q -b main p && cd p
for i in 1 2 3 4 5; do echo $i > a; git add a; g commit -q -m $i; done
git gc -q --prune=now
git repack -q -a -d
git prune
git maintenance run --quiet
git commit-graph write 2>/dev/null
git fsck --strict
git log --format=%s | tr '\n' ' '
)sh"},
    {"git_bisect_run", "git", R"sh(
git init -q -b main p && cd p
for i in 1 2 3 4 5 6 7 8; do echo $i > n; git add n; g commit -q -m $i; done
git bisect start HEAD HEAD~7 >/dev/null 2>&1
git bisect run sh -c 'test $(cat n) -lt 5' >/dev/null 2>&1
git log --format=%s -1 refs/bisect/bad
git bisect reset >/dev/null 2>&1
)sh"},
    {"git_clean", "git", R"sh(
git init -q -b main p && cd p
echo '*.o' > .gitignore && git add -A && g commit -q -m first
mkdir -p build/deep && touch x.o build/y.o build/deep/z keep
git clean -xdfq -e keep
ls -A
git init -q nested
git clean -xdffq
ls -A
)sh"},
    {"git_pick_revert_reset", "git", R"sh(
git init -q -b main p && cd p
echo one > a && git add a && g commit -q -m first
git checkout -q -b topic && echo x > b && git add b && g commit -q -m topic
git checkout -q main
g cherry-pick topic >/dev/null
g revert --no-edit HEAD >/dev/null
git log --format=%s
git reset -q --hard HEAD~1
git restore --source=HEAD~1 -- . && git status --porcelain
git checkout -q -- .
git rm -q a && git status --porcelain && git restore --staged --worktree a
git mv a c && g commit -q -m moved && git ls-files
)sh"},
    {"git_patches", "git patch", R"sh(
git init -q -b main p && cd p
echo one > a && git add a && g commit -q -m first
echo two > a && g commit -q -am second
git format-patch -q -1 --stdout > ../second.patch
git reset -q --hard HEAD~1
g am -q ../second.patch
git log --format=%s
git diff HEAD~1 > ../d.patch
git apply -R ../d.patch && cat a
patch -p1 < ../d.patch
git bundle create -q ../all.bundle HEAD main
git init -q ../unbundled && git -C ../unbundled fetch -q ../all.bundle main:main
git -C ../unbundled log --format=%s main
git archive HEAD | tar t
)sh"},
    {"git_sparse_and_worktree_config", "git", R"sh(
git init -q -b main p && cd p
mkdir x y && touch x/1 y/2 && git add -A && g commit -q -m first
git sparse-checkout init --cone
git sparse-checkout set x
ls
git sparse-checkout disable
ls
git config extensions.worktreeConfig true
git config --worktree user.name W
git config user.name
)sh"},
    {"git_reinit_and_separate_dir", "git", R"sh(
git init -q -b main p && cd p
g commit -q --allow-empty -m first
git init -q .
git init -q --separate-git-dir ../store .
git log --format=%s
cd .. && mv store store2 && mv store2 store
git -C p status --porcelain
)sh"},
    {"git_pull_rebase", "git", R"sh(
git init -q --bare -b main up.git
git clone -q up.git one 2>/dev/null
(cd one && git checkout -q -b main && echo 1 > a && git add a && g commit -q -m 1 &&
  git push -q -u origin main)
git clone -q up.git two
(cd one && echo 2 > a && g commit -q -am 2 && git push -q)
cd two
git config pull.rebase true
git config rebase.autoStash true
echo b > b && git add b && g commit -q -m b
g pull -q
git log --format=%s
)sh"},
    {"copy_a_repository", "git tar", R"sh(
git init -q -b main p && (cd p && echo x > f && git add f && g commit -q -m x)
git clone -q p clone && git -C clone remote add other ../p
cp -r clone copy && cp -a clone archive && tar cf - clone | (mkdir out && tar xf - -C out)
touch settled  # a config that was copied is judged with the next change, or within 2 ms
for each in clone copy archive out/clone; do
  git -C $each status --porcelain
  git -C $each remote
  g -C $each commit -q --allow-empty -m second && git -C $each log --format=%s
done
rm -rf p clone copy archive out settled
ls -A
)sh"},
    {"git_remove_submodule_and_worktree", "git", R"sh(
git init -q -b main lib && (cd lib && echo lib > f && git add f && g commit -q -m lib)
git init -q -b main p && cd p && g commit -q --allow-empty -m first
again() { g -c protocol.file.allow=always submodule --quiet add "$@"; }
again ../lib sub && g commit -q -m added
git rm -q -f sub && rm -rf .git/modules/sub && g commit -q -m removed
again ../lib sub && cat sub/f
git worktree add -q ../tree && (cd ../tree && git sparse-checkout set x >/dev/null)
git worktree remove ../tree && git worktree prune && git branch -q -D tree
test ! -e .git/worktrees/tree && git config core.symlinks || echo links
)sh"},
    {"git_work_in_the_owners_submodule", "git",
     R"sh(
cd p
git submodule --quiet deinit -f sub
g -c protocol.file.allow=always submodule --quiet update --init
cat sub/f
git rm -q -f sub && rm -rf .git/modules/sub
ls -A .git/modules
)sh",
     R"sh(
git init -q -b main lib && (cd lib && echo lib > f && git add f && g commit -q -m lib)
git init -q -b main p && cd p && g commit -q --allow-empty -m first
g -c protocol.file.allow=always submodule --quiet add ../lib sub && g commit -q -m sub
)sh"},
    {"git_settings_of_tools", "git", R"sh(
git init -q -b main p && cd p
git config remote.origin.gh-resolved base
git config lfs.repositoryformatversion 0
git config http.postBuffer 524288000
git config fetch.parallel 4
git config push.recurseSubmodules on-demand
git config core.commentChar ';'
git config am.threeWay true
git config transfer.fsckObjects true
git config status.relativePaths false
git config --list --local | wc -l
)sh"},
    {"remove_a_repository_of_the_session", "git", R"sh(
git init -q nested/deep/p
(cd nested/deep/p && echo x > f && git add f && g commit -q -m x)
rm -rf nested
ls -A
git init -q q && mv q r && rm -rf r/.git && ls -A r
)sh"},
    {"remove_repositories_of_the_owner", "git",
     R"sh(
rm -rf vendor/lib
mv other moved
rm -rf moved
git -C bare.git log --format=%s
rm -rf bare.git
ls -A vendor
)sh",
     R"sh(
git init -q vendor/lib && (cd vendor/lib && g commit -q --allow-empty -m x)
git init -q other && git init -q --bare -b main bare.git
(cd vendor/lib && git push -q ../../bare.git HEAD:main)
)sh"},
    // --- git: the owner's repository -------------------------------------------------------------
    {"git_work_in_the_owners_repository", "git",
     R"sh(
echo two >> README
git status --porcelain
git add README && g commit -q -m second
git checkout -q -b topic && echo x > new && git add new && g commit -q -m third
git checkout -q main && g merge -q topic && git branch -d topic >/dev/null
g stash -q -u || true
git tag v1 && git gc -q
git log --format=%s
git fsck --strict
)sh",
     kProject, "git fsck --strict && git status --porcelain && git log --format=%s"},
    {"git_settings_in_the_owners_repository", "git",
     R"sh(
git config user.name Owner
git config user.email o@example.org
git remote add other https://example.org/x.git
git push -q -u origin main
git branch -m main trunk
git checkout -q -b topic --track origin/main
git worktree add -q tree trunk
git worktree remove tree
git commit -q --allow-empty -m 'by the owner'
git log --format='%an %s' -1
)sh",
     R"sh(
git init -q -b main . && echo one > README && git add -A && g commit -q -m first
git init -q --bare -b main up.git && git remote add origin ./up.git
)sh",
     "test \"$(git config user.name)\" = Owner && git config branch.trunk.merge"},
    {"git_keeps_what_the_owner_trusts", "git",
     R"sh(
git config user.name N
git remote add x https://example.org/x.git
git config core.hooksPath
git config alias.st
)sh",
     R"sh(
git init -q -b main . && g commit -q --allow-empty -m first
git config core.hooksPath .githooks && git config alias.st status
git config filter.lfs.clean 'cat' && mkdir .githooks
)sh",
     "test \"$(git config core.hooksPath)\" = .githooks && test \"$(git config alias.st)\" = "
     "status && "
     "test \"$(git config user.name)\" = N"},
    {"git_in_the_owners_worktrees_and_submodules", "git",
     R"sh(
(cd tree && echo x > f && git add f && g commit -q -m 'in the worktree')
(cd p/lib && echo x > g && git add g && g commit -q -m 'in the submodule')
cd p && git add lib && g commit -q -m 'submodule moved'
git log --format=%s
git -C ../tree log --format=%s
)sh",
     R"sh(
git init -q -b main lib && (cd lib && g commit -q --allow-empty -m lib)
git init -q -b main p && cd p && g commit -q --allow-empty -m first
g -c protocol.file.allow=always submodule --quiet add ../lib lib && g commit -q -m sub
git worktree add -q ../tree
)sh",
     "cd p && git fsck --strict && git status --porcelain"},
    // --- git: tracked files that look like secrets -----------------------------------------------
    {"clone_with_tracked_secrets", "git",
     R"sh(
git clone -q up copy
cd copy
git status --porcelain
ls -A
cat .env certs/server.key
echo more >> README
git add -A
g commit -q -m 'more'
git show --format= --name-status HEAD
git status --porcelain
g commit -q --allow-empty -a -m nothing
git show --format= --name-status HEAD
echo untracked > new && g stash -q -u && g stash pop -q
git diff --name-status origin/main
)sh",
     "mkdir up && cd up && git init -q -b main . && mkdir -p .vscode .claude certs && "
     "echo K=v > .env && echo '{}' > .vscode/settings.json && echo '{}' > .claude/settings.json && "
     "echo key > certs/server.key && echo pem > certs/ca.pem && echo r > README && "
     "echo e > .envrc && echo rc > .bashrc && mkdir .cargo .githooks && echo x > .githooks/post && "
     "for f in mise.toml .tool-versions lefthook.yml .yarnrc.yml .gdbinit .cargo/config.toml "
     "prod.env .env~ certs/server.key.bak .clinerules; do echo $f > $f; done && git add -A -f && "
     "git -c user.name=A -c user.email=a@example.org commit -q -m all"},
    {"owners_repository_with_tracked_secrets", "git",
     R"sh(
git status --porcelain
cat .env certs/server.key
echo more >> README
g commit -q -am 'more'
git show --format= --name-status HEAD
git add -A
g commit -q --allow-empty -m again
git show --format= --name-status HEAD
echo untracked > new && g stash -q -u && g stash pop -q
git status --porcelain
git checkout -q -b topic && git checkout -q main
)sh",
     kTrackedSecrets, "git diff --exit-code --name-status HEAD~2 -- . ':!README'"},
    // Git has not looked at the files since the owner's git did, and takes none for changed.
    {"reset_of_the_owners_repository", "git", R"sh(
git reset -q --hard
git status --porcelain
echo more >> README && git reset -q --hard HEAD && cat README
echo more >> README && git checkout -q -f && cat README
git log --format=%s && ls -A
)sh",
     kTrackedSecrets, "test -z \"$(git status --porcelain)\""},
    {"stash_in_the_owners_repository", "git", R"sh(
echo more >> README && g stash -q && cat README && g stash pop -q && cat README
)sh",
     kTrackedSecrets},
    {"checkout_in_the_owners_repository", "git", R"sh(
git checkout -q -f -b topic && git switch -q --discard-changes main && git read-tree -u --reset HEAD
git status --porcelain
)sh",
     kTrackedSecrets},
    // Sealed settings are read like any file, and work goes on beside them.
    {"project_with_sealed_settings", "git", R"sh(
cat mise.toml .tool-versions lefthook.yml .yarnrc.yml .cargo/config.toml .env.local.example
cp .env.example .env && echo 'B=2' >> .env && cat .env
echo 'C=' >> .env.local.example
echo '[tools]' > mise.toml.bak && rm mise.toml.bak
mkdir own && cp mise.toml lefthook.yml own && echo more >> own/mise.toml && rm -r own
git checkout -q -b topic
echo more >> README
git add README .env.local.example
g commit -q -m work
git checkout -q main && git merge -q --ff-only topic
git status --porcelain
git clone -q . whole && ls -A whole && git -C whole status --porcelain
cat whole/mise.toml && echo new > whole/mise.toml && rm -r whole
)sh",
     "mkdir .cargo && echo '[tools]' > mise.toml && echo 'nodejs 22' > .tool-versions && "
     "echo 'pre-commit:' > lefthook.yml && echo 'nodeLinker: node-modules' > .yarnrc.yml && "
     "echo '[build]' > .cargo/config.toml && echo A= > .env.example && "
     "echo B= > .env.local.example && echo .env > .gitignore && echo r > README && "
     "git init -q -b main . && git add -A && "
     "git -c user.name=A -c user.email=a@example.org commit -q -m all"},
    // --- secrets that the session makes ----------------------------------------------------------
    {"env_file_of_the_session", "", R"sh(
echo 'WORD=first' > .env
. ./.env && echo $WORD
echo 'WORD=second' >> .env
sed -i s/first/third/ .env
chmod 600 .env
set -a && . ./.env && set +a && sh -c 'echo $WORD'
cp .env .env.local && cat .env.local
mv .env .env.bak && cat .env.bak
mkdir app && cp .env.bak app/.env && cat app/.env
rm .env.bak .env.local && rm -r app
ls -A
)sh"},
    {"keys_and_certificates", "openssl", R"sh(
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem \
  -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null
openssl pkey -in key.pem -noout && echo key
openssl x509 -in cert.pem -noout -subject
openssl verify -CAfile cert.pem cert.pem
openssl pkcs12 -export -inkey key.pem -in cert.pem -out both.p12 -passout pass:x
openssl pkcs12 -in both.p12 -passin pass:x -nodes -out again.pem 2>/dev/null
test -s again.pem && cp key.pem server.key && chmod 600 server.key
rm key.pem server.key both.p12 again.pem
ls
)sh"},
    {"https_server_on_the_loopback", "openssl python3", R"sh(
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem \
  -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
echo 'the page' > page
python3 - <<'PY'
import http.server, ssl, threading, urllib.request
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Quiet)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('cert.pem', 'key.pem')
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
trust = ssl.create_default_context(cafile='cert.pem')
trust.check_hostname = False
address = 'https://127.0.0.1:%d/page' % server.server_address[1]
print(urllib.request.urlopen(address, context=trust).read().decode(), end='')
PY
)sh",
     nullptr, nullptr, kNoSockets},
    // --- FIFOs and sockets -----------------------------------------------------------------------
    {"fifos", "", R"sh(
mkfifo p q
{ echo one; echo two; } > p &
cat < p
tr a-z A-Z < p > q &
echo text > p &
cat q
wait
exec 5<> p; echo kept >&5; read line <&5; echo $line; exec 5>&-
cat <(echo substituted) <(echo twice)
echo tee | tee >(cat > copied) >/dev/null
for i in 1 2 3; do echo $i > p & done; exec 6< p; wait; cat <&6 | sort; exec 6<&-
rm p q
)sh"},
    {"unix_sockets", "python3", R"sh(
cat > serve.py <<'PY'
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind('run/new')
server.listen()
os.rename('run/new', 'run/socket')
for i in range(3):
    client = server.accept()[0]
    client.sendall(client.recv(100).upper())
    client.close()
os.unlink('run/socket')
PY
mkdir run
python3 serve.py &
while ! test -S run/socket; do kill -0 $!; done
python3 - <<'PY'
import socket
for word in (b'one', b'two', b'three'):
    client = socket.socket(socket.AF_UNIX)
    client.connect('run/socket')
    client.sendall(word)
    print(client.recv(100).decode())
PY
wait
ls run
)sh",
     nullptr, nullptr, kNoSockets},
    // --- python ----------------------------------------------------------------------------------
    {"python_venv", "python3", R"sh(
python3 -m venv --without-pip env
. env/bin/activate
site=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo 'word = "from the environment"' > $site/hello.py
python -c 'import hello, sys; print(hello.word, sys.prefix != sys.base_prefix)'
python -m compileall -q $site
rm -rf env
ls -A
)sh"},
    {"python_sqlite", "python3", R"sh(
python3 - <<'PY'
import sqlite3
for mode in ('delete', 'wal', 'truncate', 'persist'):
    base = sqlite3.connect('base')
    print(base.execute('pragma journal_mode=' + mode).fetchone()[0])
    base.execute('pragma synchronous=off')
    base.execute('create table if not exists t(x)')
    for i in range(20):
        with base: base.execute('insert into t values(?)', (i,))
    other = sqlite3.connect('base')
    print(other.execute('select count(*) from t').fetchone()[0])
    base.execute('vacuum')
    other.close()
    base.close()
PY
ls
)sh"},
    {"python_files", "python3", R"sh(
python3 - <<'PY'
import fcntl, mmap, os, pathlib, shutil, tempfile
with tempfile.NamedTemporaryFile(dir='.') as f: f.write(b'x')
with tempfile.TemporaryDirectory(dir='.') as d: pathlib.Path(d, 'x').write_text('x')
with tempfile.TemporaryFile(dir='.') as f: f.write(b'x')
p = pathlib.Path('tree/a/b'); p.mkdir(parents=True)
(p / 'f').write_text('text'); (p / 'l').symlink_to('f'); os.link(p / 'f', p / 'h')
os.mkfifo(p / 'fifo')
shutil.copytree('tree', 'copy', symlinks=True, ignore=shutil.ignore_patterns('fifo'))
shutil.move('copy', 'moved')
os.replace('moved/a/b/f', 'moved/f')
shutil.make_archive('archive', 'zip', 'moved')
shutil.unpack_archive('archive.zip', 'unpacked')
shutil.rmtree('tree')
with open('map', 'w+b') as f:
    f.truncate(4096)
    m = mmap.mmap(f.fileno(), 4096); m[:4] = b'mmap'; m.flush(); m.close()
with open('lock', 'w') as f:
    fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)
fd = os.open('.', os.O_RDONLY)
with os.fdopen(os.open('at', os.O_WRONLY | os.O_CREAT, dir_fd=fd), 'w') as f: f.write('at')
os.rename('at', 'at2', src_dir_fd=fd, dst_dir_fd=fd)
shutil.rmtree('.paddock', ignore_errors=True)
for base, dirs, files in sorted(os.walk('.')):
    if '.paddock' not in base: print(base, sorted(set(dirs) - {'.paddock'}), sorted(files))
PY
)sh"},
    // --- tools that change files -----------------------------------------------------------------
    {"sed_in_place", "", R"sh(
for i in 1 2 3 4 5 6 7 8; do echo "old $i" > f$i; done
chmod 600 f1; chmod 444 f2
ln -s f3 link
sed -i s/old/new/ f*
sed -i.bak s/new/newer/ f4
sed -i --follow-symlinks s/new/linked/ link
cat f* link
stat -c '%a %n' f*
)sh"},
    {"perl_in_place", "perl", R"sh(
for i in 1 2 3; do echo "old $i" > f$i; done
perl -pi -e 's/old/new/' f*
perl -pi.orig -e 's/new/newer/' f1
cat f*
ls
)sh"},
    {"editors", "ed", R"sh(
printf 'one\ntwo\n' > f
printf '1s/one/ONE/\nw\nq\n' | ed -s f
cat f
if command -v vim >/dev/null; then
  vim -u NONE -N -es -c 'set nobackup writebackup backupcopy=no' -c '%s/two/TWO/' -c 'wq' f
  vim -u NONE -N -es -c 'set backup backupcopy=yes' -c '%s/ONE/one/' -c 'wq' f
  test "$(cat f)" = $'one\nTWO'
fi
)sh",
     nullptr, nullptr, kNoTmp},
    {"patch_and_diff", "patch diff", R"sh(
printf 'one\ntwo\nthree\n' > a && cp a b && sed -i s/two/TWO/ b
diff -u a b > d || true
patch -b a d
cat a && ls
patch -R a < d
mkdir -p x/y && printf -- '--- /dev/null\n+++ b/x/y/new\n@@ -0,0 +1 @@\n+made\n' | patch -p1
cat x/y/new
)sh"},
    {"tar_and_cp", "tar gzip", R"sh(
mkdir -p t/a/b && echo text > t/a/f && ln t/a/f t/a/h && ln -s f t/a/l && chmod 700 t/a/b
mkfifo t/p && chmod 640 t/a/f && touch -d @1000000 t/a/f
tar cf t.tar t && mkdir out && tar xf t.tar -C out
tar czf t.tgz t && mkdir out2 && tar xzpf t.tgz -C out2
cp -a t copied && cp -al t linked && cp -r t/a recursive
for d in t out/t out2/t copied; do
  (cd $d && find . -printf '%p %y %m %n %l %T@\n' | grep a/ | grep -v 'a/b\|a/l' | sort)
done
tar xf t.tar -C out --overwrite
cp -f t/a/f out/t/a/f && cp --remove-destination t/a/f out/t/a/l
mv copied renamed && rm -rf t out out2 linked
ls
)sh"},
    {"rsync", "rsync", R"sh(
mkdir -p from/a && echo one > from/a/f && ln -s f from/a/l
rsync -a from/ to/
echo two > from/a/f && touch from/new && rsync -a --delete from/ to/
rsync -a --inplace from/ to/
find to | sort
)sh"},
    {"make_and_compile", "make gcc", R"sh(
cat > Makefile <<'M'
.RECIPEPREFIX = >
OBJS = a.o b.o c.o d.o
all: prog
%.o: %.c common.h
>$(CC) -O0 -c $< -o $@
lib.a: $(OBJS)
>ar rcs $@ $^
prog: main.c lib.a
>$(CC) -O0 $^ -o $@
clean:
>rm -f $(OBJS) lib.a prog
M
echo 'int f(void);' > common.h
for f in a b c d; do echo "int $f(void) { return 1; }" > $f.c; done
echo 'int a(void),b(void),c(void),d(void); int main(void) { return a()+b()+c()+d()-4; }' > main.c
make -s -j2 && ./prog && touch a.c && make -s -j2 && ./prog
make -s clean && ls
)sh"},
    {"files_of_the_shell", "", R"sh(
set -C; echo first > f; (echo second > f) 2>/dev/null || echo refused; echo third >| f; set +C
cat f
exec 3> g; echo via three >&3; exec 3>&-; cat g
echo more >> g; : > f; wc -c f g
{ echo out; echo err >&2; } > both 2>&1; cat both
cat > here <<< 'here string'; cat here
tee a b < here >/dev/null; cat a b
{ echo x > /dev/stdout; echo y > /dev/fd/1; } | cat
umask 077; mkdir d; touch d/f; stat -c %a d d/f; umask 022
)sh"},
    {"coreutils", "", R"sh(
install -D -m 640 /etc/hostname a/b/c/f 2>/dev/null || install -D -m 640 /dev/null a/b/c/f
stat -c %a a/b/c/f
ln -s x l && ln -sfn y l && readlink l
seq 100 > n && sort -r -o n n && head -1 n && split -l 40 n part- && ls part-*
truncate -s 5 n && stat -c %s n && dd if=/dev/zero of=z bs=10 count=3 conv=notrunc 2>/dev/null &&
  stat -c %s z
touch -d @1000 z && stat -c %Y z && cp --reflink=auto z y && mv -n y z && mv -f y z && ls
find . -name 'part-*' -delete && find . -path ./.paddock -prune -o -type f -print | sort
d=$(mktemp -d -p .) && f=$(mktemp -p $d) && echo x > $f && rm -r $d
seq 20 | xargs -P 4 -I{} sh -c 'echo {} > p{}' && cat p* | sort -n | tail -1
chmod -R u=rwX,go= a n && stat -c %a a n
shred -u z && ls z 2>/dev/null || echo gone
rm -rf a && mkdir -p deep/$(printf 'd/%.0s' $(seq 60)) && rm -rf deep && ls
)sh"},
    {"locks", "flock", R"sh(
flock lock sh -c 'echo held; flock -n lock true || echo busy'
flock -n lock echo free
for i in 1 2 3 4 5 6 7 8; do
  flock lock sh -c 'n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count' &
done
wait; cat count
mkdir lockdir && ! mkdir lockdir 2>/dev/null && rmdir lockdir
ln -s $$ linklock && ! ln -s $$ linklock 2>/dev/null && rm linklock
)sh"},
    {"background_jobs", "", R"sh(
for i in 1 2 3 4; do (for n in $(seq 20); do echo $n > j$i-$n; done; touch done$i) & done
wait; ls | wc -l
(trap 'rm -f pid; exit 0' TERM; echo $BASHPID > new; mv new pid; while :; do sleep 0.01; done) &
while ! test -s pid; do :; done
kill $(cat pid); wait || true; ls pid 2>/dev/null || echo removed
)sh"},
    {"node_files", "node", R"sh(
node -e '
const fs = require("fs");
fs.mkdirSync("a/b", {recursive: true});
fs.writeFileSync("a/f", "text"); fs.appendFileSync("a/f", " more");
fs.copyFileSync("a/f", "a/g"); fs.renameSync("a/g", "a/b/g"); fs.symlinkSync("f", "a/l");
fs.cpSync("a", "c", {recursive: true, verbatimSymlinks: true}); fs.rmSync("a", {recursive: true});
fs.writeFileSync("x", "x", {flag: "wx"});
try { fs.writeFileSync("x", "x", {flag: "wx"}); } catch (e) { console.log(e.code); }
const d = fs.mkdtempSync("tmp-"); fs.rmdirSync(d);
fs.truncateSync("c/f", 2); console.log(fs.readFileSync("c/l", "utf8"), fs.readdirSync("c"));
'
)sh"},
};

}  // namespace

std::span<const Task> file_tasks() { return kFileTasks; }

}  // namespace gate
