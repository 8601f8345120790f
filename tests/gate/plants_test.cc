// Plants: what would make git, an editor, an agent or a shell of the owner run something. Each row
// works outside, so it shows something; inside it is refused at the call, and nothing sealed is
// ever seen by a watcher, not for a moment. Allowed stays: removing, and what the session made.
//
// Every row has a repository of the owner for itself, "ROW/", so one session plays them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "gate/runner.h"
#include "gate/watcher.h"

namespace gate {
namespace {

struct Plant {
    const char* name;
    // Bash, in the repository of the row. What is planted holds the word "evil".
    const char* script;
    // Paths in that repository that must never hold it; a directory or a link counts by itself.
    const char* sealed;
    const char* before = nullptr;  // by the owner, outside
    // By the owner, afterwards: succeeds if it was planted. Without it `sealed` is searched.
    const char* check = nullptr;
};

// For all scripts: the calls that no tool makes, and the settings that run something.
constexpr const char* kLead = R"sh(set +e
export GIT_CONFIG_NOSYSTEM=1
py() { python3 -c 'import ctypes,mmap,os,sys
AT,libc=-100,ctypes.CDLL(None,use_errno=True)
def call(*words): return libc.syscall(*[w.encode() if isinstance(w,str) else w for w in words])
rename2=316 if os.uname().machine=="x86_64" else 276
linkat=265 if os.uname().machine=="x86_64" else 37
def entry(tag): return bytes([tag,0,7,0])+b"\377"*4
def acl(f,flags):
 value=b"\2\0\0\0"+entry(1)+entry(4)+entry(32)
 os.setxattr(f,"system.posix_acl_access",value,flags)
def evil(f): os.write(f,b"[core]\n\tfsmonitor = evil\n")
exec(sys.argv[1])' "$@"; }
index() { py 'import hashlib,struct,subprocess
n=0
while 1:
 text=b"evil %d"%n; n+=1
 i=hashlib.sha1(b"blob %d\0"%len(text)+text).digest()
 if not set(i)&{0,47}: break
subprocess.run(["git","hash-object","-w","--stdin"],input=text,stdout=subprocess.DEVNULL)
def entry(name,flags,mode,fill):
 return fill*24+struct.pack(">I",mode)+fill*12+i+struct.pack(">H",flags)+name
names=[w.encode() for w in sys.argv[2:]]
last=entry(names[-1],0xfff if names[1:] else len(names[-1]),0x010181ed,b"m")
last+=bytes(8-len(last)%8)
d=last
if names[1:]:
 first=entry(names[0],5,0x81a4,b"m"); d=first+b"x"*(72-len(first))+last
 rest=entry(b"zzzzzzzz",8,0x81a4,b"m")
 d+=b"XXXX"+struct.pack(">I",72)+rest[8:]+bytes(80-len(rest))
d=b"DIRC"+struct.pack(">II",2,len(names))+d
sys.stdout.buffer.write(d+hashlib.sha1(d).digest())' "$@"; }
exchange() { py 'call(rename2,AT,sys.argv[2],AT,sys.argv[3],2)' "$@"; }
evil() { printf '[core]\n\tfsmonitor = evil\n'; }
)sh";

constexpr const char* kOwner = R"sh(
git init -q -b main . && echo plain > plain && git add plain
git -c user.name=A -c user.email=a@example.org commit -q -m first
mkdir .vscode && echo '{}' > .vscode/settings.json && mkdir -p .git/hooks
)sh";

// Is there a whole git directory with an evil hook or config?
constexpr const char* kWhole = R"sh(
for d in .git b m w g e/.git a/.git; do
  { test -e $d/objects && test -e $d/refs; } ||
    { test -e $d/HEAD && test -e $d/commondir; } || continue
  grep -rqs evil $d/hooks $d/config $d/config.worktree && exit 0
done
exit 1
)sh";

constexpr const char* kDormant =
    "echo evil > .git/hooks/pre-commit; chmod 644 .git/hooks/pre-commit";
constexpr const char* kAwake = "test -x .git/hooks/pre-commit";
constexpr const char* kSecretBelow = "mkdir conf; echo evil > conf/.env";

const Plant kPlants[] = {
    // --- what the owner's git writes through, or is led by ---------------------------------------
    {"link_that_git_writes_through",
     "printf '[core]\\n\\tfsmonitor = evil\\n' > .git/SQUASH_MSG; rm -f "
     ".git/COMMIT_EDITMSG; ln -s config .git/COMMIT_EDITMSG",
     ".git/config", nullptr,
     "git -c user.name=A -c user.email=a@example.org -c core.editor=true commit -q --allow-empty "
     "--cleanup=verbatim; git config core.fsmonitor | grep -q evil"},
    {"link_carried_in", "mkdir -p d/logs; ln -s ../../plain d/logs/evil; mv d .git/worktrees",
     ".git/worktrees/logs/evil"},
    {"link_in_a_completed_shape", "mkdir d; ln -s ../plain d/evil; mkdir d/objects; mkdir d/refs",
     "", nullptr, "test -L d/evil && test -d d/objects && test -d d/refs"},
    {"hooks_path_through_a_link", "mkdir -p shared/hooks; echo evil > shared/hooks/pre-commit",
     "shared/hooks/*",
     "mkdir -p shared/hooks; ln -s shared tools; git config core.hooksPath tools/hooks"},
    {"include_through_a_link", "evil > shared/inc", "shared/inc",
     "mkdir shared; ln -s shared tools; touch shared/inc; git config include.path ../tools/inc"},
    {"hooks_path_by_a_new_commondir",
     "mkdir docs/.git; echo ref: refs/heads/main > docs/.git/HEAD; echo ../../.git > "
     "docs/.git/commondir; mkdir docs/.githooks; echo evil > docs/.githooks/commit-msg",
     "docs/.git/commondir",
     "mkdir docs .githooks; echo x > docs/f; git config core.hooksPath .githooks",
     "cd docs && git rev-parse --git-path hooks >/dev/null && test -e .git/commondir"},
    {"pointer_of_the_owner_rewritten", "echo 'gitdir: evil' > sub/.git", "sub/.git",
     "mkdir -p .git/modules/sub sub; echo 'gitdir: ../.git/modules/sub' > sub/.git"},
    {"pointer_in_a_directory_of_the_owner", "echo 'gitdir: evil' > docs/.git", "docs/.git",
     "mkdir docs; echo x > docs/f"},
    {"pointer_moved_into_one", "echo 'gitdir: evil' > x; mv x docs/.git", "docs/.git",
     "mkdir docs; echo x > docs/f"},
    // Elsewhere the owner has a repository whose relative hooks git begins where it is run.
    {"hooks_below_a_pointer_that_leads_out",
     "mkdir j; echo 'gitdir: /elsewhere/.git' > j/.git; mkdir j/hk; echo evil > "
     "j/hk/post-index-change",
     "j/hk/*"},
    {"hooks_below_a_pointer_that_is_written_later",
     "mkdir j; exec 5<>j/.git; mkdir j/hk; echo evil > j/hk/pre-commit; echo 'gitdir: /elsewhere' "
     ">&5; exec 5>&-",
     "j/hk/*"},
    {"pointer_beside_hooks",
     "mkdir -p j/hk; echo x > j/hk/pre-commit; echo 'gitdir: /evil' > j/.git", "j/.git"},
    {"pointer_written_again",
     "mkdir j; echo 'gitdir: ../.git' > j/.git; mkdir j/hk; echo x > j/hk/pre-commit; echo "
     "'gitdir: /evil' > j/.git",
     "j/.git"},
    {"commondir_of_a_worktree_that_leads_out",
     "git worktree add -q wt -b wt; mkdir wt/hk; cd .git/worktrees/wt; rm commondir; echo /evil > "
     "commondir; echo /evil > x; mv x commondir; ln -f x commondir",
     ".git/worktrees/wt/commondir",
     "git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m x"},
    {"commondir_beside_a_head", "mkdir ev; echo x > ev/HEAD; echo /evil > ev/commondir",
     "ev/commondir"},
    {"relative_hooks_moved_by_a_bare_repository", "git config core.bare true", "",
     "git config core.hooksPath .githooks", "git config core.bare | grep -q true"},
    {"relative_hooks_moved_by_a_worktree", "git config core.worktree ../docs", "",
     "mkdir docs; git config core.hooksPath .githooks", "git config core.worktree | grep -q docs"},
    {"repository_open_to_everybody", "git config core.sharedRepository 0666", "", nullptr,
     "git config core.sharedRepository | grep -q 0666"},
    // --- merges that git records and replays -----------------------------------------------------
    {"rerere_list_written", "printf 'evil\\tplain\\0' > .git/MERGE_RR", ".git/MERGE_RR"},
    {"rerere_list_moved_in", "printf 'evil\\tplain\\0' > x; mv x .git/MERGE_RR", ".git/MERGE_RR"},
    {"rerere_list_held_open_when_it_is_moved_in",
     ": > x; exec 9>> x; mv x .git/MERGE_RR; printf 'evil\\tplain\\0' >&9", ".git/MERGE_RR"},
    {"rerere_list_of_a_completed_shape",
     "mkdir -p b/objects; printf 'evil\\tplain\\0' > b/MERGE_RR; mkdir b/refs", "", nullptr,
     "test -s b/MERGE_RR && test -d b/refs"},
    {"rerere_cache", "mkdir .git/rr-cache", "", nullptr, "test -d .git/rr-cache"},
    {"rerere_cache_moved_in", "mkdir x; mv x .git/rr-cache", "", nullptr, "test -d .git/rr-cache"},
    {"rerere_cache_of_the_owner_filled",
     "mkdir .git/rr-cache/1; echo evil > .git/rr-cache/1/postimage", ".git/rr-cache/1/*",
     "mkdir .git/rr-cache"},
    {"rerere_cache_of_a_completed_shape", "mkdir -p b/objects b/rr-cache; mkdir b/refs", "",
     nullptr, "test -d b/rr-cache && test -d b/refs"},
    {"setting_rerere", "git config rerere.enabled true", "", nullptr,
     "git config rerere.enabled | grep -q true"},
    // --- objects that git takes for its own ------------------------------------------------------
    {"alternates_of_the_owners_repository",
     "echo /evil > .git/objects/info/alternates; echo /evil > x; mv x .git/objects/info/alternates",
     ".git/objects/info/alternates"},
    {"alternates_of_the_owners_repository_to_another",
     "git init -q evil; echo $PWD/evil/.git/objects > x; mv x .git/objects/info/alternates",
     ".git/objects/info/alternates"},
    {"alternates_that_lead_out", "git init -q n; echo /evil > n/.git/objects/info/alternates",
     "n/.git/objects/info/alternates"},
    {"alternates_through_a_link",
     "git init -q n; ln -s . evil; echo $PWD/evil/.git/objects > x; mv x "
     "n/.git/objects/info/alternates",
     "n/.git/objects/info/alternates"},
    {"alternates_of_http", "git init -q n; echo /evil > n/.git/objects/info/http-alternates",
     "n/.git/objects/info/http-alternates"},
    {"alternates_of_a_completed_shape",
     "mkdir -p b/objects/info; echo evil > b/objects/info/alternates; mkdir b/refs", "", nullptr,
     "test -s b/objects/info/alternates && test -d b/refs"},
    {"alternates_moved_in_with_objects",
     "mkdir -p b/refs o/info; echo evil > o/info/alternates; mv o b/objects", "", nullptr,
     "test -s b/objects/info/alternates && test -d b/refs"},
    {"alternates_moved_in_with_their_directory",
     "git init -q n; rm -r n/.git/objects/info; mkdir i; echo evil > i/alternates; mv i "
     "n/.git/objects/info",
     "n/.git/objects/info/alternates"},
    // --- hooks of a repository of the owner ------------------------------------------------------
    {"hook_written", "echo evil > .git/hooks/pre-commit", ".git/hooks/*"},
    {"hook_moved", "echo evil > x; mv x .git/hooks/pre-commit", ".git/hooks/*"},
    {"hook_linked", "echo evil > x; ln x .git/hooks/pre-commit", ".git/hooks/*"},
    {"hook_symlinked", "echo evil > x; ln -s ../../x .git/hooks/pre-commit", ".git/hooks/*"},
    {"hook_over_an_old_one", "echo evil > .git/hooks/pre-commit", ".git/hooks/*",
     "echo old > .git/hooks/pre-commit"},
    {"hook_exchanged", "echo evil > x; exchange x .git/hooks/pre-commit", ".git/hooks/*",
     "echo old > .git/hooks/pre-commit"},
    {"hook_by_descriptor", "exec 9<.git/hooks; echo evil > /proc/self/fd/9/pre-commit",
     ".git/hooks/*"},
    {"hook_from_inside", "cd .git/hooks; echo evil > pre-commit", ".git/hooks/*"},
    {"hook_by_way_of_a_link", "ln -s .git/hooks h; echo evil > h/pre-commit", ".git/hooks/*"},
    {"hook_through_a_dangling_link",
     "ln -s .git/hooks/pre-commit l; echo evil > l; echo evil > $PWD/l", ".git/hooks/*"},
    {"hook_from_a_sample", "echo evil > .git/hooks/x.sample; mv .git/hooks/x.sample .git/hooks/x",
     ".git/hooks/x"},
    {"hook_without_a_name",
     "py 'f=os.open(\".\",os.O_TMPFILE|os.O_WRONLY,0o700); evil(f); "
     "call(linkat,AT,\"/proc/self/fd/%d\"%f,AT,\".git/hooks/x\",0x400)'",
     ".git/hooks/*"},
    {"hook_without_a_name_by_descriptor",
     "py 'f=os.open(\".\",os.O_TMPFILE|os.O_WRONLY,0o700); evil(f); "
     "call(linkat,f,\"\",AT,\".git/hooks/x\",0x1000)'",
     ".git/hooks/*"},
    {"hooks_moved_in", "rm -rf .git/hooks; mkdir h; echo evil > h/x; mv -T h .git/hooks",
     ".git/hooks/*"},
    {"hooks_exchanged", "mkdir h; echo evil > h/x; exchange h .git/hooks", ".git/hooks/x"},
    {"hooks_that_are_a_link", "rm -rf .git/hooks; mkdir h; echo evil > h/x; ln -s ../h .git/hooks",
     ".git/hooks/*"},
    {"hooks_in_a_renamed_repository", "mv .git g; echo evil > g/hooks/x", "g/hooks/*"},
    {"hook_while_the_shape_is_broken",
     "mv .git/objects o; echo evil > .git/hooks/x; mv o .git/objects", "", nullptr, kWhole},
    {"hook_while_it_is_broken_and_a_link",
     "mv .git/objects o; echo evil > .git/hooks/x; ln -s ../o .git/objects", "", nullptr, kWhole},
    {"hook_while_it_is_broken_and_exchanged",
     "git init -q e; mv e/.git/objects o; echo evil > e/.git/hooks/x; exchange e/.git .git; "
     "mv o .git/objects",
     "", nullptr, kWhole},
    {"hook_made_executable", "chmod +x .git/hooks/pre-commit", "", kDormant, kAwake},
    {"hook_made_executable_by_descriptor",
     "py 'os.fchmod(os.open(\".git/hooks/pre-commit\",0),0o755)'", "", kDormant, kAwake},
    {"hook_made_executable_by_proc",
     "exec 9<.git/hooks/pre-commit; chmod +x /proc/self/fd/9; chmod +x /dev/fd/9", "", kDormant,
     kAwake},
    {"hook_made_executable_by_empty_path",
     "py 'f=os.open(\".git/hooks/pre-commit\",0); call(452,f,\"\",0o755,0x1000)'", "", kDormant,
     kAwake},
    {"hook_made_executable_by_a_link_outside",
     "d=$(mktemp -d); ln -s $PWD/.git/hooks/pre-commit $d/l; chmod +x $d/l", "", kDormant, kAwake},
    {"hook_made_executable_by_an_acl", "py 'acl(\".git/hooks/pre-commit\",0)'", "", kDormant,
     kAwake},
    {"hook_made_executable_by_an_acl_of_a_descriptor",
     "py 'acl(os.open(\".git/hooks/pre-commit\",0),0)'", "", kDormant, kAwake},
    {"hook_made_executable_by_a_second_name", "ln .git/hooks/pre-commit y; chmod +x y", "",
     kDormant, kAwake},
    {"hook_of_a_submodule",
     "mkdir -p .git/modules/s/objects .git/modules/s/refs .git/modules/s/hooks; "
     "echo evil > .git/modules/s/hooks/x",
     ".git/modules/s/hooks/*"},
    // --- settings of the owner that lead elsewhere from another place ---------------------------
    {"hook_for_a_worktree_made_after_it",
     "mkdir -p w/.githooks; echo evil > w/.githooks/x; echo 'gitdir: ../.git' > w/.git", "",
     "git config core.hooksPath .githooks", "test -e w/.githooks/x && test -s w/.git"},
    {"hook_for_a_worktree_made_before_it",
     "mkdir w; echo 'gitdir: ../.git' > w/.git; mkdir w/.githooks; echo evil > w/.githooks/x", "",
     "git config core.hooksPath .githooks", "test -e w/.githooks/x && test -s w/.git"},
    {"hook_where_a_repository_is_moved_to",
     "mkdir -p w/.githooks; echo evil > w/.githooks/x; mv n/.git w/", "",
     "git init -q n; git -C n config core.hooksPath .githooks", "test -e w/.git/HEAD"},
    {"worktree_that_leads_elsewhere", "git config core.worktree ../evil", ".git/config"},
    {"worktree_judged_deeper_than_it_lies",
     "git init -q a/b/c; git -C a/b/c config core.worktree ../../../../evil; mv a/b/c c",
     "c/.git/config"},
    {"settings_beside_the_way_of_a_link",
     "d=$(mktemp -d); git init -q $d/g; ln -s /proc/self/root$d/g/.git w/.git; : > s", "",
     "mkdir w", "test -L w/.git"},
    // --- what the owner's git init, or paddock, would take for its own ---------------------------
    {"hook_before_git_init", "mkdir -p n/.git/hooks; echo evil > n/.git/hooks/x", "n/.git/hooks/*"},
    {"config_before_git_init", "mkdir -p n/.git; evil > n/.git/config", "n/.git/config"},
    {"hook_moved_in_before_git_init", "mkdir -p x/hooks n; echo evil > x/hooks/x; mv x n/.git",
     "n/.git/hooks/*"},
    {"config_moved_in_before_git_init", "mkdir x n; evil > x/config; mv x n/.git", "n/.git/config"},
    {"config_held_open_when_it_is_moved_in", "mkdir x n; exec 9> x/config; mv x n/.git; evil >&9",
     "n/.git/config"},
    {"journal_of_a_new_repository", "mkdir -p x/paddock; echo evil > x/paddock/f; mv x n/.git",
     "n/.git/paddock/f", "mkdir n"},
    {"journal_below", "mkdir -p n/.paddock; echo evil > n/.paddock/f", "n/.paddock/f"},
    {"remote_in_a_file", "mkdir .git/remotes; echo 'URL: ext::evil' > .git/remotes/origin",
     ".git/remotes/*"},
    {"branch_in_a_file", "mkdir .git/branches; echo 'ext::evil' > .git/branches/origin",
     ".git/branches/*"},
    // --- repositories that the session makes -----------------------------------------------------
    {"hook_of_a_new_repository", "git init -q a/b/c; echo evil > a/b/c/.git/hooks/x",
     "a/b/c/.git/hooks/x"},
    {"hook_of_a_clone", "git clone -q . c; echo evil > c/.git/hooks/x", "c/.git/hooks/x"},
    {"hook_of_a_template", "mkdir -p t/hooks; echo evil > t/hooks/x; git init -q --template=t a",
     "", nullptr, kWhole},
    {"hook_of_a_bare_repository",
     "mkdir -p b/objects b/refs b/hooks; echo 'ref: refs/heads/main' > b/HEAD; echo evil > "
     "b/hooks/x",
     "b/hooks/*"},
    {"shape_completed_by_mkdir", "mkdir -p b/objects b/hooks; echo evil > b/hooks/x; mkdir b/refs",
     "", nullptr, kWhole},
    {"shape_completed_by_rename",
     "mkdir -p b/objects b/hooks r; echo evil > b/hooks/x; mv -T r b/refs", "", nullptr, kWhole},
    {"shape_completed_by_a_link",
     "mkdir -p b/refs b/hooks r; echo evil > b/hooks/x; ln -s ../r b/objects", "", nullptr, kWhole},
    {"shape_completed_by_a_file",
     "mkdir -p b/refs b/hooks; echo evil > b/hooks/x; echo > b/objects", "", nullptr, kWhole},
    {"shape_completed_by_exchange",
     "mkdir -p b/objects b/hooks b/y r; echo evil > b/hooks/x; mv b/objects b/o; "
     "mkdir b/refs; exchange b/o b/refs; mv b/o b/refs; mv b/refs b/objects; mkdir b/refs",
     "", nullptr, kWhole},
    {"shape_completed_by_fifo", "mkdir -p b/refs b/hooks; echo evil > b/hooks/x; mkfifo b/objects",
     "", nullptr, kWhole},
    {"config_before_its_repository", "mkdir -p m/objects; evil > m/config; mkdir m/refs", "",
     nullptr, kWhole},
    {"config_held_open_before_its_repository",
     "mkdir -p m/objects; exec 9> m/config; mkdir m/refs; evil >&9", "", nullptr, kWhole},
    {"config_with_a_second_name_before_its_repository",
     "mkdir -p m/objects; : > m/config; ln m/config k; mkdir m/refs; evil >> k", "", nullptr,
     kWhole},
    {"config_of_a_worktree_shape",
     "mkdir w; echo 'ref: refs/heads/main' > w/HEAD; evil > w/config.worktree; echo ../.git > "
     "w/commondir",
     "", nullptr, kWhole},
    {"config_of_a_worktree_shape_held_open",
     "mkdir w; echo ../.git > w/commondir; exec 9> w/config.worktree; "
     "echo 'ref: refs/heads/main' > w/HEAD; evil >&9",
     "", nullptr, kWhole},
    // --- configs ---------------------------------------------------------------------------------
    {"config_appended", "evil >> .git/config", ".git/config"},
    {"config_renamed", "evil > x; mv x .git/config", ".git/config"},
    {"config_made_anew", "rm .git/config; evil > .git/config", ".git/config"},
    {"config_of_a_copy", "git init -q n; cp -r n c; rm c/.git/config; evil > c/.git/config; : > s",
     "c/.git/config"},
    {"config_held_open_when_made",
     "git init -q n; rm n/.git/config; exec 9> n/.git/config; : > s; evil >&9; exec 9>&-; : > s",
     "n/.git/config"},
    {"config_kept_open_by_another",
     "git init -q n; rm n/.git/config; exec 9> n/.git/config; (until test -e s; do :; done; "
     "evil >&9) & exec 9>&-; : > s; wait; : > t",
     "n/.git/config"},
    {"config_mapped_when_made",
     "git init -q n; rm n/.git/config; py "
     "'f=os.open(\"n/.git/config\",os.O_RDWR|os.O_CREAT,0o600); "
     "os.write(f,b\"#\"*27); m=mmap.mmap(f,0); os.close(f); open(\"s\",\"w\"); "
     "m[:27]=b\"\\n[core]\\n fsmonitor = evil\\n#\"; m.close(); open(\"t\",\"w\")'",
     "n/.git/config"},
    {"config_that_is_a_link", "evil > x; ln -sf ../x .git/config", ".git/config"},
    {"config_that_is_linked", "rm .git/config; evil > x; ln x .git/config", ".git/config"},
    {"config_by_a_second_name", "ln .git/config c; evil >> c", ".git/config"},
    {"config_exchanged", "evil > x; exchange x .git/config", ".git/config"},
    {"config_by_descriptor", "exec 9<.git/config; evil >> /proc/self/fd/9; evil >> /dev/fd/9",
     ".git/config"},
    {"config_by_a_link_to_descriptors",
     "exec 9<.git/config; ln -s /dev/fd d; evil >> d/9; ln -s /proc/self/fd/9 e; evil >> e",
     ".git/config"},
    {"config_linked_by_descriptor",
     "py 'f=os.open(\".git/config\",0); call(linkat,f,\"\",AT,\"c\",0x1000)'; evil >> c",
     ".git/config"},
    {"config_linked_by_another_process",
     "py 'r,w=os.pipe(); a,b=os.pipe(); p=os.fork()\n"
     "if p==0:\n f=os.open(\".git/config\",0); os.dup2(f,90); os.write(w,b\"x\"); os.read(a,1); "
     "os._exit(0)\n"
     "os.read(r,1); os.dup2(os.open(\".\",os.O_TMPFILE|os.O_RDWR,0o600),90)\n"
     "call(linkat,AT,\"/proc/%d/fd/90\"%p,AT,\"c\",0x400); os.write(b,b\"x\")'; evil >> c",
     ".git/config"},
    {"config_through_its_lock",
     "exec 9> .git/config.lock; cat .git/config >&9; mv .git/config.lock .git/config; evil >&9",
     ".git/config"},
    {"config_through_a_link_of_its_lock",
     "cat .git/config > x; ln x y; mv x .git/config; evil >> y", ".git/config"},
    {"config_mapped",
     "py 'f=os.open(\"x\",os.O_RDWR|os.O_CREAT,0o600); "
     "os.write(f,open(\".git/config\",\"rb\").read()+b\"#\"*60); m=mmap.mmap(f,0); "
     "os.rename(\"x\",\".git/config\"); m[-27:]=b\"\\n[core]\\n fsmonitor = evil\\n#\"'",
     ".git/config"},
    {"config_emptied",
     "py 'os.open(\".git/config\",os.O_RDONLY|os.O_TRUNC)'; truncate -s 0 .git/config", "", nullptr,
     "! test -s .git/config"},
    {"config_emptied_by_descriptor", "exec 9<.git/config; truncate -s 0 /proc/self/fd/9", "",
     nullptr, "! test -s .git/config"},
    {"config_that_is_a_fifo", "rm .git/config; mkfifo .git/config", "", nullptr,
     "test -p .git/config"},
    // --- names that git follows out of its index
    // --------------------------------------------------
    {"index_that_names_a_hook",
     "mkdir -p ,git/hooks; echo evil > ,git/hooks/pre-commit; git add ,git; "
     "sed s/,git/.git/ .git/index > t; mv t .git/index",
     "", nullptr, "git checkout -q -- . && grep -q evil .git/hooks/pre-commit"},
    {"index_that_is_written_in_place",
     "mkdir -p ,git/hooks; echo evil > ,git/hooks/pre-commit; git add ,git; "
     "sed s/,git/.git/ .git/index > t; cat t > .git/index",
     "", nullptr, "git checkout -q -- . && grep -q evil .git/hooks/pre-commit"},
    {"index_of_a_completed_shape",
     "git init -q n; mkdir -p n/,git/hooks; echo evil > n/,git/hooks/pre-commit; "
     "git -C n add ,git; cp -r n/.git x; sed s/,git/.git/ n/.git/index > x/index; rm -rf n/.git; "
     "mv x n/.git",
     "", nullptr, "git -C n checkout -q -- . && grep -q evil n/.git/hooks/pre-commit"},
    {"index_that_leads_up",
     "mkdir ,,; echo evil > ,,/leaf; git add ,,; sed s/,,/../ .git/index > t; mv t .git/index", "",
     nullptr, "git ls-files | grep -qF ../leaf"},
    {"index_written_by_descriptor_once_it_is_there",
     "mkdir -p ,git/hooks; echo evil > ,git/hooks/pre-commit; git add ,git; cp .git/index t; "
     "exec 9<>t; mv t .git/index; sed s/,git/.git/ .git/index > u; cat u >&9",
     "", nullptr, "git checkout -q -- . && grep -q evil .git/hooks/pre-commit"},
    {"index_judged_with_longer_ids",
     "index '.git/hooks/post-checkout' > t; cp .git/config c; "
     "(printf '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n'; "
     "cat c) | sed '/version = 0/d' > d; mv d .git/config; mv t .git/index; mv c .git/config",
     "", nullptr, "git checkout -q -- . 2>/dev/null; grep -qs evil .git/hooks/post-checkout"},
    {"index_judged_with_longer_ids_of_a_config_that_goes",
     "git init -q --object-format=sha256 n; (cd n; git --git-dir=../.git cat-file -p :plain | "
     "git --git-dir=n hash-object -w --stdin >/dev/null); index '.git/hooks/post-checkout' > t; "
     "mv t n/.git/index; cp -rn .git/objects n/.git; rm n/.git/config",
     "", nullptr, "cd n; git checkout -q -- . 2>/dev/null; grep -qs evil .git/hooks/post-checkout"},
    {"index_whose_lengths_hide_a_name",
     "index aaaaa '.git/hooks/post-checkout' > t; mv t .git/index", "", nullptr,
     "git checkout -q -- . 2>/dev/null; grep -qs evil .git/hooks/post-checkout"},
    {"index_of_a_worktree_judged_in_another_place",
     "git worktree add -q wt; mkdir moved; mv .git/worktrees/wt moved; index 'evil' > t; "
     "mv t moved/wt/index; mv moved/wt .git/worktrees",
     "", nullptr, "git -C wt ls-files | grep -qx evil"},
    {"link_called_like_a_probe_in_the_place_of_a_log",
     "git checkout -q -b topic12; mkdir -p .git/logs/refs/heads; "
     "rm -f .git/logs/refs/heads/topic12; touch log; "
     "ln -s ../../../../log .git/logs/refs/heads/topic12",
     "", nullptr, "echo y >> plain; commit_all; test -s log"},
    {"link_called_like_a_probe_in_a_directory_that_moves",
     "mkdir -p x/objects x/refs; ln -s ../../../../log x/topic12; touch log; "
     "mv x .git/logs/refs/heads/x",
     "", nullptr, "test -L .git/logs/refs/heads/x/topic12"},
    {"link_called_like_a_probe_that_leads_elsewhere", "ln -s ../plain .git/tABCDEF", "", nullptr,
     "test -L .git/tABCDEF"},
    {"format_of_a_repository_in_another_spelling",
     "sed 's/version = 0/version = -2/' .git/config > t; mv t .git/config", "", nullptr,
     "grep -q 'version = -2' .git/config"},
    {"secret_in_a_directory_that_gets_a_name_of_the_index",
     "git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),s/.env; "
     "mv conf s",
     "", kSecretBelow, "commit_all && git show HEAD:s/.env | grep -q evil"},
    {"secret_in_a_directory_exchanged_for_a_name_of_the_index",
     "git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),s/.env; "
     "mkdir s; exchange conf s",
     "", kSecretBelow, "commit_all && git show HEAD:s/.env | grep -q evil"},
    {"secret_beside_which_an_index_moves",
     "git init -q n; cd n; git update-index --add --cacheinfo 100644,$(echo x | "
     "git hash-object -w --stdin),.env; mv .git ../conf/.git",
     "", kSecretBelow, "cd conf; commit_all && git show HEAD:.env | grep -q evil"},
    {"config_of_the_worktree",
     "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil",
     ".git/config.worktree"},
    {"commondir", "git init -q x; echo ../x/.git > .git/commondir", "", nullptr,
     "test -e .git/commondir"},
    {"setting_fsmonitor", "git config core.fsmonitor evil", ".git/config"},
    {"setting_hookspath", "git config core.hooksPath evil", ".git/config"},
    {"setting_sshcommand", "git config core.sshCommand evil", ".git/config"},
    {"setting_pager", "git config core.pager evil", ".git/config"},
    {"setting_alias", "git config alias.x '!evil'", ".git/config"},
    {"setting_filter", "git config filter.x.clean evil", ".git/config"},
    {"setting_external_diff", "git config diff.external evil", ".git/config"},
    {"setting_credential", "git config credential.helper evil", ".git/config"},
    {"setting_uploadpack", "git config remote.x.uploadpack evil", ".git/config"},
    {"setting_ext_url", "git config remote.x.url 'ext::evil'", ".git/config"},
    // What a path leads to may change once it was judged.
    {"setting_path_of_a_remote", "git config remote.x.url ./evil", ".git/config"},
    {"setting_path_to_push_to", "git config remote.x.pushurl ./evil", ".git/config"},
    {"setting_path_of_a_branch", "git config branch.main.remote ./evil", ".git/config"},
    {"setting_path_by_the_name_of_a_remote", "git config branch.main.remote evil", ".git/config"},
    {"setting_path_of_a_submodule", "git config submodule.x.url ./evil", ".git/config"},
    {"setting_path_by_a_remote_that_goes", "git config --remove-section remote.up", "",
     "git remote add up https://example.org/x; git config branch.main.remote up",
     "! git config remote.up.url >/dev/null"},
    {"setting_path_in_a_worktree_of_the_session",
     "git config extensions.worktreeConfig true; git worktree add -q wt -b wt; git -C wt config "
     "--worktree remote.x.url ./evil",
     ".git/worktrees/wt/config.worktree"},
    {"setting_worktree_of_the_owners_submodule",
     "git config -f .git/modules/s/config core.worktree ../../../evil", ".git/modules/s/config",
     "mkdir .git/modules; git init -q --separate-git-dir .git/modules/s s; git config -f "
     ".git/modules/s/config core.worktree ../../../s"},
    {"setting_include", "evil > x; git config include.path ../x; echo '#evil' >> .git/config",
     ".git/config"},
    {"setting_of_a_new_repository", "git init -q n; git -C n config core.fsmonitor evil",
     "n/.git/config"},
    // --- settings of editors, agents and shells --------------------------------------------------
    {"settings_written", "echo evil > .vscode/tasks.json; echo evil > .vscode/settings.json",
     ".vscode/*"},
    {"settings_made", "mkdir .claude; echo evil > .claude/settings.json; echo evil > .mcp.json",
     ".claude .claude/* .mcp.json"},
    {"settings_moved_in", "mkdir s; echo evil > s/x; mv s .idea", ".idea .idea/*"},
    {"settings_that_are_a_link", "mkdir s; echo evil > s/x; ln -s s .cursor", ".cursor .cursor/*"},
    {"settings_exchanged", "mkdir s; echo evil > s/x; exchange s .vscode", ".vscode/x"},
    {"settings_from_a_tree_of_the_session",
     "mkdir -p own/.idea; echo evil > own/.idea/x; mv own/.idea .idea; cp -r own/.idea .idea",
     ".idea .idea/*"},
    {"settings_linked_from_a_tree_of_the_session",
     "mkdir own; echo evil > own/.mcp.json; ln own/.mcp.json .mcp.json; mv own/.mcp.json .",
     ".mcp.json"},
    {"settings_below_a_directory", "mkdir -p cfg/fish; echo evil > cfg/fish/x; mv cfg .config",
     ".config/fish .config/fish/*"},
    {"settings_below_a_link", "mkdir -p cfg/fish; echo evil > cfg/fish/x; ln -s cfg .config",
     ".config/fish/*"},
    {"settings_without_a_name",
     "py 'f=os.open(\".\",os.O_TMPFILE|os.O_WRONLY,0o700); evil(f); "
     "call(linkat,f,\"\",AT,\".mcp.json\",0x1000)'",
     ".mcp.json"},
    {"settings_of_shells",
     "for f in .bashrc .profile .zshenv .gitconfig .inputrc x.code-workspace opencode.json; do "
     "echo evil > $f; done",
     ".bashrc .profile .zshenv .gitconfig .inputrc x.code-workspace opencode.json"},
    {"settings_of_tools",
     "for d in .devcontainer .husky .zed .codex .gemini .github/hooks .config/paddock; do "
     "mkdir -p $d; echo evil > $d/x; done",
     ".devcontainer/* .husky/* .zed/* .codex/* .gemini/* .github/hooks/* .config/paddock/*"},
    {"settings_of_version_managers",
     "for f in mise.toml .mise.local.toml .tool-versions lefthook.yml .lefthook-local.yaml "
     ".yarnrc.yml .gdbinit .lldbinit .exrc .nvim.lua .clinerules .Rprofile; do echo evil > $f; "
     "done",
     "mise.toml .mise.local.toml .tool-versions lefthook.yml .lefthook-local.yaml .yarnrc.yml "
     ".gdbinit .lldbinit .exrc .nvim.lua .clinerules .Rprofile"},
    {"settings_of_version_managers_below",
     "for d in .githooks .cline .config/mise .yarn/releases; do mkdir -p $d; echo evil > $d/x; "
     "done; mkdir .cargo; echo evil > .cargo/config.toml",
     ".githooks/* .cline/* .config/mise/* .yarn/releases/* .cargo/config.toml"},
    {"settings_in_a_directory_of_the_owner", "mkdir sub/.vscode; echo evil > sub/.vscode/x",
     "sub/.vscode sub/.vscode/*", "mkdir sub"},
};

// The same in the workspace itself, whose own repository is "../" of every row.
const Plant kTopPlants[] = {
    {"top_included", "evil > included; echo '#evil' >> included", "included"},
    {"top_included_moved", "evil > x; mv x included", "included"},
    {"top_hooks_of_the_owner", "echo evil > .githooks/pre-commit", ".githooks/*"},
    {"top_hooks_of_the_owner_moved", "mv .githooks o; mkdir .githooks; echo evil > .githooks/x",
     ".githooks/*"},
    {"top_journal",
     "mkdir -p .git/paddock; echo evil > .git/paddock/x; mkdir .paddock; echo evil > .paddock/x",
     ".git/paddock/x .paddock/x"},
    {"top_journal_moved", "mkdir -p .git/paddock; mv .git/paddock j; echo evil > j/x", "j/x"},
    {"top_journal_by_descriptor", "mkdir -p .git/paddock; cd .git/paddock; echo evil > x",
     ".git/paddock/x"},
    {"top_repository_moved", "mv .git g; git init -q .; mv .git h", "", nullptr, "! test -e .git"},
};

constexpr const char* kTopOwner = R"sh(
git init -q -b main . && git config include.path ../included && mkdir .githooks
git config core.hooksPath .githooks && touch .githooks/old
)sh";

std::string row_name(std::size_t i) { return "r" + std::to_string(i); }

// Bash: does something in the repository `directory` hold what the row plants?
std::string check_of(const Plant& plant, const std::string& directory) {
    std::string check = "(cd " + directory + "; shopt -s globstar nullglob dotglob; ";
    check +=
        "commit_all() { git -c user.name=A -c user.email=a@example.org commit -q -a -m all "
        ">/dev/null; }; ";
    if (plant.check != nullptr) return check + plant.check + "\n)";
    for (const std::string& path : words_of(plant.sealed)) {
        check += "for f in " + path + "; do case $f in *.sample) continue;; esac; ";
        check += "{ test -L $f || grep -qs evil $f; } && exit 0; done; ";
    }
    return check + "exit 1)";
}

// Settings of repositories of the owner that lead out of their own directory. They have a session
// for themselves: while there is one, fewer worktrees can be made.
constexpr const char* kHooksBeside =
    "git init -q n; git -C n config core.hooksPath ../hooks; mkdir hooks";
constexpr const char* kHooksWithin = "git init -q n; git -C n config core.hooksPath .githooks";

const Plant kLeadingOut[] = {
    {"hook_beside_its_repository", "echo evil > hooks/x", "hooks/*", kHooksBeside},
    {"hooks_beside_their_repository", "rmdir hooks; mkdir h; echo evil > h/x; mv h hooks",
     "hooks/*", kHooksBeside},
    {"hooks_reached_by_a_new_link", "rmdir hooks; mkdir h; echo evil > h/x; ln -s h hooks",
     "hooks/*", kHooksBeside},
    {"hook_beside_a_bare_repository", "mkdir h; echo evil > h/x", "h/*",
     "git init -q --bare b; git -C b config core.hooksPath ../h"},
    {"include_beside_its_repository", "evil > shared.inc", "shared.inc",
     "git init -q a/n; git -C a/n config include.path ../../../shared.inc"},
    {"include_of_an_include", "evil > deeper.inc", "deeper.inc",
     "git init -q n; git -C n config include.path ../../x/a.inc; mkdir x; "
     "git config -f x/a.inc include.path ../deeper.inc"},
    {"repository_moved_beside_hooks", "mkdir -p x/hooks; echo evil > x/hooks/x; mv n x/n", "",
     kHooksBeside, "test -e x/n/.git/HEAD && grep -qs evil x/hooks/x"},
    {"worktree_made_beside_hooks",
     "mkdir -p x/w x/hooks; echo evil > x/hooks/x; echo 'gitdir: ../../n/.git' > x/w/.git", "",
     kHooksBeside, "test -s x/w/.git && grep -qs evil x/hooks/x"},
    {"worktree_moved_beside_hooks",
     "mkdir -p y/w x/hooks; echo 'gitdir: ../../n/.git' > y/w/.git; echo evil > x/hooks/x; "
     "mv y/w x/w",
     "", kHooksBeside, "test -s x/w/.git && grep -qs evil x/hooks/x"},
    {"worktree_of_a_repository_beside_it",
     "mkdir -p w/.githooks; echo evil > w/.githooks/x; echo 'gitdir: ../n/.git' > w/.git", "",
     kHooksWithin, "test -s w/.git && grep -qs evil w/.githooks/x"},
    {"worktree_that_gets_another_repository",
     "mkdir w/.githooks; echo evil > w/.githooks/x; echo 'gitdir: ../n/.git' > w/.git", "",
     "git init -q n; git -C n config core.hooksPath .githooks; mkdir w; "
     "echo 'gitdir: ../.git' > w/.git",
     "grep -q n/.git w/.git && grep -qs evil w/.githooks/x"},
    {"hooks_beside_a_worktree_whose_repository_is_replaced",
     "mkdir x/hooks; echo evil > x/hooks/x; mkdir -p n/.git/worktrees/w; mv m k; ln -s n m",
     "x/hooks/*",
     "git init -q n; git -C n config core.hooksPath ../hooks; git init -q m; mkdir -p x/w "
     "m/.git/worktrees/w; echo 'gitdir: ../../m/.git/worktrees/w' > x/w/.git"},
    {"worktree_by_commondir",
     "mkdir -p w/.githooks w/.git; echo evil > w/.githooks/x; echo ../../n/.git > w/.git/commondir",
     "", kHooksWithin, "test -s w/.git/commondir && grep -qs evil w/.githooks/x"},
};

// A ".git" that comes to lead to another repository of the owner's, which begins its hooks where
// git is run. The parts, in every order: P the pointer, H the hook, L the link or directory that it
// leads to. A session for themselves: where settings lead out of a repository, no pointer is made.
constexpr const char* kHooksOfAnother = "git init -q n; git -C n config core.hooksPath .gh";
constexpr const char* kRunsTheHook =
    "test \"$(git -C w rev-parse --git-path hooks)\" = .gh && grep -qs evil w/.gh/x";

const Plant kLedElsewhere[] = {
    {"led_by_a_link_PHL",
     "mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; echo evil > w/.gh/x; ln -s n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_PLH",
     "mkdir w; echo 'gitdir: ../to/.git' > w/.git; ln -s n to; mkdir w/.gh; echo evil > w/.gh/x",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_HPL",
     "mkdir -p w/.gh; echo evil > w/.gh/x; echo 'gitdir: ../to/.git' > w/.git; ln -s n to", "",
     kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_HLP",
     "mkdir -p w/.gh; echo evil > w/.gh/x; ln -s n to; echo 'gitdir: ../to/.git' > w/.git", "",
     kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_LPH",
     "ln -s n to; mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; echo evil > w/.gh/x",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_LHP",
     "ln -s n to; mkdir -p w/.gh; echo evil > w/.gh/x; echo 'gitdir: ../to/.git' > w/.git", "",
     kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_after_hooks_are_moved_in",
     "mkdir w h; echo 'gitdir: ../to/.git' > w/.git; echo evil > h/x; mv h w/.gh; ln -s n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_and_hooks_by_another",
     "mkdir w h; echo 'gitdir: ../to/.git' > w/.git; echo evil > h/x; ln -s ../h w/.gh; "
     "ln -s n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_link_to_a_repository_that_moved",
     "mv n m; mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; echo evil > w/.gh/x; "
     "ln -s m to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_by_a_repository_that_moves_PHL",
     "mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; echo evil > w/.gh/x; mv n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_away_from_a_harmless_repository",
     "git init -q to; mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; "
     "echo evil > w/.gh/x; rm -rf to; ln -s n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"led_away_by_an_exchange",
     "git init -q to; mkdir w; echo 'gitdir: ../to/.git' > w/.git; mkdir w/.gh; "
     "echo evil > w/.gh/x; exchange n to",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"moved_to_where_it_leads_PHL",
     "mkdir -p q/r/w; echo 'gitdir: ../n/.git' > q/r/w/.git; mkdir q/r/w/.gh; "
     "echo evil > q/r/w/.gh/x; mv q/r/w w",
     "q/r/w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"moved_to_where_it_leads_PLH",
     "mkdir -p q/r/w; echo 'gitdir: ../n/.git' > q/r/w/.git; mv q/r/w w; mkdir w/.gh; "
     "echo evil > w/.gh/x",
     "w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"moved_to_where_it_leads_HPL",
     "mkdir -p q/r/w/.gh; echo evil > q/r/w/.gh/x; echo 'gitdir: ../n/.git' > q/r/w/.git; "
     "mv q/r/w w",
     "", kHooksOfAnother, kRunsTheHook},
    {"moved_with_all_above_it",
     "mkdir -p q/r/w; echo 'gitdir: ../../n/.git' > q/r/w/.git; mkdir q/r/w/.gh; "
     "echo evil > q/r/w/.gh/x; mv q/r v",
     "q/r/w/.gh/*", kHooksOfAnother,
     "test \"$(git -C v/w rev-parse --git-path hooks)\" = .gh && grep -qs evil v/w/.gh/x"},
    {"moved_by_an_exchange",
     "mkdir -p q/r/w w; echo 'gitdir: ../n/.git' > q/r/w/.git; mkdir q/r/w/.gh; "
     "echo evil > q/r/w/.gh/x; exchange q/r/w w",
     "q/r/w/.gh/*", kHooksOfAnother, kRunsTheHook},
    {"pointer_exchanged_for_a_repository",
     "git init -q w; mkdir w/.gh v; echo evil > w/.gh/x; echo 'gitdir: ../n/.git' > v/.git; "
     "exchange v/.git w/.git",
     "", kHooksOfAnother, kRunsTheHook},
    {"worktree_of_git_made_a_repository",
     "git init -q m; mkdir -p m/.git/worktrees/v n/.git/w/.gh; echo evil > n/.git/w/.gh/x; "
     "echo ref: refs/heads/main > m/.git/worktrees/v/HEAD; "
     "echo ../.. > m/.git/worktrees/v/commondir; mv m/.git/worktrees/v n/.git/w/.git",
     "", kHooksOfAnother, "test -e n/.git/w/.git/HEAD && grep -qs evil n/.git/w/.gh/x"},
};

// What git obeys where somebody cannot look: the command closes the way or takes a lease, or the
// owner closed it. They have a session for themselves: what cannot be read may lead anywhere.
const Plant kUnread[] = {
    {"hook_behind_a_lease",
     "py 'import fcntl,signal; signal.signal(signal.SIGIO,signal.SIG_IGN)\n"
     "f=os.open(\".git/config\",0)\n"
     "try: fcntl.fcntl(f,fcntl.F_SETLEASE,fcntl.F_WRLCK)\n"
     "except OSError: pass\n"
     "os.rename(\"d1\",\"d2\"); open(\"ci/hooks/x\",\"w\").write(\"evil\")'",
     "ci/hooks/*", "git config core.hooksPath ci/hooks; mkdir -p ci/hooks d1"},
    {"hook_behind_a_closed_directory",
     "chmod 000 scripts; mv d1 d2; touch z; chmod 755 scripts; echo evil >> scripts/pc",
     "scripts/pc",
     "mkdir scripts d1; touch scripts/pc; ln -s ../../scripts/pc .git/hooks/pre-commit"},
    {"hook_behind_a_closed_directory_that_was_missing",
     "mkdir scripts; chmod 000 scripts; mv d1 d2; touch z; chmod 755 scripts; echo evil > "
     "scripts/pc",
     "scripts/pc", "mkdir d1; ln -s ../../scripts/pc .git/hooks/pre-commit"},
    {"hook_behind_a_directory_closed_by_an_acl",
     "py 'os.setxattr(\"scripts\",\"system.posix_acl_access\",bytes([2,0,0,0])+"
     "b\"\".join(bytes([t,0,0,0]+[255]*4) for t in (1,4,32)))'; mv d1 d2; touch z; "
     "chmod 755 scripts; echo evil >> scripts/pc",
     "scripts/pc",
     "mkdir scripts d1; touch scripts/pc; ln -s ../../scripts/pc .git/hooks/pre-commit"},
    {"hook_of_an_include_behind_a_closed_directory",
     "chmod 000 conf; mv d1 d2; touch z; chmod 755 conf; echo evil > ci/x", "ci/*",
     "mkdir conf d1 ci; git config -f conf/gitconfig core.hooksPath ci; git config include.path "
     "../conf/gitconfig"},
    {"hook_of_a_closed_repository",
     "chmod 000 sub/.git; mv d1 d2; touch sub/z; chmod 755 sub/.git; echo evil > sub/.githooks/x",
     "sub/.githooks/*",
     "git init -q sub; git -C sub config core.hooksPath .githooks; mkdir sub/.githooks d1"},
    {"hook_of_a_repository_with_a_closed_config",
     "git -C sub config user.name x; chmod 000 sub/.git/config; mv d1 d2; touch sub/z; chmod 644 "
     "sub/.git/config; echo evil > sub/.githooks/x",
     "sub/.githooks/*",
     "git init -q sub; git -C sub config core.hooksPath .githooks; mkdir sub/.githooks d1"},
    {"hook_where_the_owner_closed_the_way", "echo evil > ci/x", "ci/*",
     "mkdir conf ci; git config -f conf/gitconfig core.hooksPath ci; git config include.path "
     "../conf/gitconfig; chmod 000 conf"},
    {"pointer_moved_where_the_owner_closed_the_way",
     "mkdir -p w/ci; echo evil > w/ci/x; echo 'gitdir: ../.git' > w/.git", "",
     "mkdir conf; git config -f conf/gitconfig core.hooksPath ci; git config include.path "
     "../conf/gitconfig; chmod 000 conf",
     "test -s w/.git && test -s w/ci/x"},
    {"hook_by_a_link_and_the_directory_above", "echo evil > a/hooks/x", "a/hooks/*",
     "mkdir -p a/b a/hooks; ln -s a/b tools; git config core.hooksPath tools/../hooks"},
    {"hook_by_a_word_of_git", "echo evil > ci/x", "ci/*",
     "mkdir ci; git config core.hooksPath ':(optional)ci'"},
};

struct Played {
    std::set<std::string> planted;  // rows
    std::set<std::string> seen;     // sealed paths, at any moment
    std::string told;
};

// All rows in one session; then those of the top, in another.
Played play(const Place& place, std::span<const Plant> rows, std::span<const Plant> top_rows) {
    const Workspace workspace(place);
    std::string before = "set -e\n";
    std::string script = kLead;
    std::string checks;
    std::vector<std::string> sealed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Plant& plant = rows[i];
        const std::string name = row_name(i);
        before += "mkdir " + name + " && (cd " + name + kOwner;
        if (plant.before != nullptr) before += plant.before;
        before += "\n)\n";
        script += "(cd " + name + "\n" + plant.script + "\n) </dev/null 2>/dev/null\n";
        checks += check_of(plant, name) + " && echo " + plant.name + "\n";
        for (const std::string& path : words_of(plant.sealed)) sealed.push_back(name + "/" + path);
    }
    for (const Plant& plant : top_rows) {
        for (const std::string& path : words_of(plant.sealed)) sealed.push_back(path);
    }
    workspace.prepare(before + kTopOwner);
    Watcher watcher(workspace.path(), sealed);
    Played played;
    played.told += workspace.shell(script + "exit 0").err;
    // Each removes what the next needs, where nothing is refused.
    for (const Plant& plant : top_rows) {
        played.told += workspace.shell(kLead + std::string(plant.script) + "\nexit 0").err;
        if (workspace.outside(check_of(plant, ".")).exit_code == 0)
            played.planted.insert(plant.name);
        if (place.level == Level::kPlain)
            workspace.outside("rm -rf .git g h j o; git init -q .; mkdir -p .githooks");
    }
    played.seen = watcher.end();
    EXPECT_GT(watcher.events(), rows.size());
    EXPECT_EQ(watcher.blind(), "");
    for (const std::string& row : words_of(workspace.outside(checks + "true").out)) {
        played.planted.insert(row);
    }
    return played;
}

std::string listed(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += " " + name;
    return text;
}

class PlantsInside : public PlaceTest {};

void expect_all_planted(std::span<const Plant> rows, std::span<const Plant> top_rows = {}) {
    const Played played = play(plain_place(), rows, top_rows);
    std::set<std::string> missing;
    for (const Plant& plant : rows) missing.insert(plant.name);
    for (const Plant& plant : top_rows) missing.insert(plant.name);
    for (const std::string& row : played.planted) missing.erase(row);
    EXPECT_EQ(listed(missing), "") << "show nothing";
    EXPECT_GE(played.seen.size(), rows.size() / 3) << "the watcher sees them";
}

void expect_none_planted(const Place& place, std::span<const Plant> rows,
                         std::span<const Plant> top_rows = {}) {
    const Played played = play(place, rows, top_rows);
    EXPECT_EQ(listed(played.planted), "") << played.told;
    EXPECT_EQ(listed(played.seen), "") << played.told;
}

TEST(Plants, work_outside) {
    expect_all_planted(kPlants, kTopPlants);
    expect_all_planted(kLeadingOut);
    expect_all_planted(kUnread);
    expect_all_planted(kLedElsewhere);
}

TEST_P(PlantsInside, are_refused_and_never_seen) {
    expect_none_planted(GetParam(), kPlants, kTopPlants);
}

TEST_P(PlantsInside, are_refused_where_settings_lead_out_of_a_repository) {
    expect_none_planted(GetParam(), kLeadingOut);
}

TEST_P(PlantsInside, are_refused_where_a_pointer_comes_to_lead_elsewhere) {
    expect_none_planted(GetParam(), kLedElsewhere);
}

TEST_P(PlantsInside, are_refused_where_nobody_can_look) {
    expect_none_planted(GetParam(), kUnread);
}

// What a session has outside of the workspace, the owner's git reaches from above: it asks a
// submodule for its status, and pushes to a remote that is a path.
constexpr const char* kOutsideOfTheWorkspace = R"sh(
git init -q $TMPDIR/e
git -C $TMPDIR/e -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m e
printf '[core]\n\tfsmonitor = "touch %s/ran; false"\n' "$PWD" >> $TMPDIR/e/.git/config
git init -q --bare $TMPDIR/b
printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" > $TMPDIR/b/hooks/pre-receive
chmod +x $TMPDIR/b/hooks/pre-receive
mkdir sub; echo "gitdir: $TMPDIR/e/.git" > sub/.git
git update-index --add --cacheinfo 160000,$(git -C $TMPDIR/e rev-parse HEAD),sub
git remote add r r/b; ln -s $TMPDIR r
echo ready; read end
)sh";

bool runs_what_lies_outside(const Place& place, const char* owners) {
    constexpr int kHangsMs = 60'000;
    const Workspace workspace(place);
    workspace.prepare(
        "git init -q .; git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m x");
    Running session(workspace.command_line({"/bin/bash", "-c", kOutsideOfTheWorkspace}),
                    workspace.environment());
    EXPECT_EQ(session.line(kHangsMs), "ready");
    (void)workspace.outside(owners);
    session.send("end\n");
    const Ran ran = session.wait(kHangsMs);
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
    return workspace.outside("test -e ran").exit_code == 0;
}

TEST_P(PlantsInside, are_refused_where_the_session_has_its_own_directories) {
    for (const char* owners : {"git status", "git push r HEAD:refs/heads/x"}) {
        SCOPED_TRACE(owners);
        EXPECT_TRUE(runs_what_lies_outside(plain_place(), owners));
        EXPECT_FALSE(runs_what_lies_outside(GetParam(), owners));
    }
}

// A directory that one session closes would hide a repository from the search of the next.
bool plants_in_two_sessions(const Place& place) {
    const Workspace workspace(place);
    workspace.prepare(
        "git init -q .; git init -q d/sub; git -C d/sub config core.hooksPath "
        "../hooks; mkdir d/hooks");
    (void)workspace.shell("chmod 000 d/sub");
    (void)workspace.shell("echo evil > d/hooks/x");
    return workspace.outside("chmod 755 d/sub; test -e d/hooks/x").exit_code == 0;
}

TEST_P(PlantsInside, are_refused_in_two_sessions) {
    EXPECT_TRUE(plants_in_two_sessions(plain_place()));
    EXPECT_FALSE(plants_in_two_sessions(GetParam()));
}

// Repositories at paths so long that the judge can hardly name what lies in them. Hooks are
// planted from above and from within; printed are the lengths of the paths where that was done, and
// how many other files were made.
constexpr const char* kDeep = R"sh(cat > deep.py <<'P'
import os, sys
for i in range(39):
    name = "%02d" % i + "a" * 97
    if sys.argv[1] == "make": os.mkdir(name)
    os.chdir(name)
top = os.open(".", os.O_RDONLY)
free = 0
def attempt(act):
    try: act()
    except OSError: pass
def write(name): os.write(os.open(name, os.O_WRONLY | os.O_CREAT), b"evil")
for length in range(3920, 4096, 4):
    os.fchdir(top)
    leaf = "b" * (length - 3900)
    if sys.argv[1] == "make":
        for name in ["", "/objects", "/refs", "/hooks"]: attempt(lambda: os.mkdir(leaf + name))
    elif sys.argv[1] == "find":
        free += os.path.exists(leaf + "/free")
        for name in "wxyz":
            if os.path.exists(leaf + "/hooks/" + name): print(length, name)
    else:
        attempt(lambda: write(leaf + "/free"))
        attempt(lambda: write(leaf + "/hooks/w"))
        def within():
            os.chdir(leaf)
            attempt(lambda: write("hooks/x"))
            attempt(lambda: write("moved"))
            attempt(lambda: os.rename("moved", "hooks/y"))
            os.chdir("hooks")
            write("z")
        attempt(within)
if sys.argv[1] == "find": print("free", free)
P
)sh";

enum class MadeBy { kTheOwner, kSession };

std::string planted_near_the_longest_path(const Place& place, MadeBy by) {
    const Workspace workspace(place);
    workspace.prepare(kDeep);
    const std::string make = "python3 deep.py make; ";
    if (by == MadeBy::kTheOwner) workspace.prepare(make);
    const Ran ran = workspace.shell((by == MadeBy::kSession ? make : "") + "python3 deep.py plant");
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
    return workspace.outside("python3 deep.py find").out;
}

TEST_P(PlantsInside, are_refused_near_the_longest_path) {
    for (const MadeBy by : {MadeBy::kTheOwner, MadeBy::kSession}) {
        // What the owner has so deep is covered there.
        if (by == MadeBy::kTheOwner && GetParam().level == Level::kFull) continue;
        const std::string outside = planted_near_the_longest_path(plain_place(), by);
        EXPECT_EQ(std::count(outside.begin(), outside.end(), '\n'), 44 * 4 + 1) << outside;
        const std::string inside = planted_near_the_longest_path(GetParam(), by);
        ASSERT_TRUE(inside.starts_with("free ")) << inside;
        EXPECT_GE(std::stoi(inside.substr(5)), 20) << "everything is refused";
    }
}

// Only what depends on the unreadable is refused, and the answer names it.
TEST_P(PlantsInside, leave_the_rest_free_where_nobody_can_look) {
    const Workspace workspace(GetParam());
    workspace.prepare(
        "git init -q .; git init -q sub; git -C sub config include.path ../../c/x; "
        "mkdir c; : > c/x; chmod 000 c");
    const Ran ran = workspace.shell("echo x > free && mkdir d && mv d e && ! echo x > sub/x");
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
    if (GetParam().from_root) return;  // who may read it
    EXPECT_NE(ran.err.find("what git obeys cannot be read"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("cannot be read': c"), std::string::npos) << ran.err;
}

// Whoever has the turn lets nobody else change anything.
constexpr const char* kHugeIndex = R"sh(git init -q own; cat > index.py <<'P'
import hashlib, struct
count = 16000
directory = b".env~/" * 660
index = bytearray(b"DIRC" + struct.pack(">II", 4, count))
for i in range(count):
    index += bytes(24) + struct.pack(">I", 0o100644) + bytes(32)
    index += struct.pack(">H", len(directory) + 8)
    index += b"\0" + directory + b"%08d\0" % i if i == 0 else b"\x08%08d\0" % i
open("big", "wb").write(index + hashlib.sha1(index).digest())
P
python3 index.py; mv big own/.git/index
)sh";

constexpr const char* kManyPointers = R"sh(
mkdir n; cd n
for i in {1..40}; do mkdir a; echo 'gitdir: ../../.git' > a/.git; cd a; done 2>/dev/null; true
)sh";

TEST_P(PlantsInside, cannot_keep_the_judge_busy) {
    const Workspace workspace(GetParam());
    workspace.prepare("git init -q .");
    const auto begin = std::chrono::steady_clock::now();
    const Ran ran = workspace.shell(kHugeIndex);
    EXPECT_NE(ran.err.find("it is too large"), std::string::npos) << ran.err;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    const Ran nested = workspace.shell(kManyPointers);
    EXPECT_NE(nested.err.find("so many .git files"), std::string::npos) << nested.err;
    EXPECT_EQ(workspace.outside("test -e n/a/a/a/a/.git").exit_code, 0);
}

// The file tools wait for the search that finds such repositories.
TEST_P(PlantsInside, are_refused_by_the_tools_where_settings_lead_out_of_a_repository) {
    const Workspace workspace(GetParam());
    workspace.prepare(std::string(kHooksBeside) + "; mkdir plain");
    Running server(workspace.server_line(), workspace.environment());
    constexpr int kHangsMs = 60'000;
    server.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n");
    int id = 1;
    for (const std::string directory : {"hooks", "plain"}) {
        server.send(
            R"({"jsonrpc":"2.0","id":)" + std::to_string(++id) +
            R"(,"method":"tools/call","params":{"name":"write_file","arguments":{"path":")" +
            directory + R"(/x","content":"evil"}}})" + "\n");
    }
    for (int i = 0; i < 3; ++i) EXPECT_NE(server.line(kHangsMs), "");
    EXPECT_EQ(workspace.outside("test -e plain/x && ! test -e hooks/x").exit_code, 0);
}

// Its writer has closed it by then, so the command succeeds; the report says what became of it.
TEST_P(PlantsInside, a_config_that_is_refused_when_it_is_finished_is_told) {
    const Workspace workspace(GetParam());
    const Ran ran = workspace.shell(std::string(kLead) +
                                    "git init -q n; rm n/.git/config; evil > n/.git/config");
    EXPECT_NE(ran.err.find("write n/.git/config"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("core.fsmonitor"), std::string::npos) << ran.err;
    EXPECT_EQ(workspace.outside("test -e n/.git/config -a ! -s n/.git/config").exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Gate, PlantsInside, ::testing::ValuesIn(sandboxed_places()), place_name);

}  // namespace
}  // namespace gate
