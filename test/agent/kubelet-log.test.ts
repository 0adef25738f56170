import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { type AgentRun, byteText, describeAgents, recordOf, runAgent } from './sandbox.ts';

const overflow = 'plugin_watcher.go:86] "FsWatcher received error" err="fsnotify: queue or buffer overflow"';
const match = ['FsWatcher received error'];
const day = 86_400_000;

/** The time of klog's header, as a process in this time zone writes it. */
const header = (date: Date, zoneMinutes = 0) => {
  const [month, dayOfMonth, time] = new Date(date.getTime() + zoneMinutes * 60_000)
    .toISOString()
    .split(/^\d+-|-|T|Z/)
    .filter((part) => part !== '');
  return `${month}${dayOfMonth} ${time}000`;
};

const klog = (pid: number, date = new Date(), text = overflow, zoneMinutes = 0) =>
  `E${header(date, zoneMinutes)}    ${pid} ${text}`;

const linesOf = ({ records }: AgentRun) =>
  records.flatMap((record) => (record.kind === 'logLine' ? [record.line] : []));

/** Writes to standard error what it reads, after `redirection` has sent that somewhere. */
const writer = (redirection: string, ...args: readonly string[]) => [
  'bash',
  '-c',
  `${redirection}; echo ready; while IFS= read -r line; do printf '%s\\n' "$line" >&2; done`,
  'kubelet',
  ...args,
];

describeAgents('agent kubelet-log', (agent, sandbox) => {
  const path = (name: string) => join(sandbox().folder, name);
  const ticksOf = async (pid: number) => {
    const { stdout } = await sandbox().run(['cat', `/proc/${pid}/stat`]);
    return stdout.split(') ')[1]?.split(' ')[19] ?? '';
  };
  const read = async (pid: number, more: { lines?: number; deadline?: number; match?: string[] } = {}) =>
    runAgent(
      sandbox(),
      agent(),
      agentArgs.kubeletLog({ pid, startTicks: await ticksOf(pid), match, ...more }),
    );
  const start = async (redirection: string, ...args: readonly string[]) => {
    const process = await sandbox().start(writer(redirection, ...args));
    const pid = await process.pid();
    const write = (line: string) => process.child.stdin?.write(`${line}\n`);
    return { pid, write };
  };
  const startWithFile = (file = path('log')) => start('exec 2>>"$1"', file);
  const waitForText = async (file: string, text: string) => {
    const deadline = Date.now() + 5000;
    while (!(await readFile(file, 'latin1').catch(() => '')).includes(text)) {
      assert.ok(Date.now() < deadline, `no ${text} in ${file}`);
      await sleep(20);
    }
  };

  describe('of a file', () => {
    it('gives the lines that match, with their time', async () => {
      const { pid } = await startWithFile();
      const now = new Date();
      const lines = [klog(pid, now, 'kubelet.go:1] "Starting"'), klog(pid, now)];
      await appendFile(path('log'), `${lines.join('\n')}\n`);
      const answer = await read(pid);
      assert.deepEqual(recordOf(answer, 'logLine'), {
        kind: 'logLine',
        line: klog(pid, now),
        at: Math.floor(now.getTime() / 1000),
      });
      assert.deepEqual(recordOf(answer, 'logCounts'), {
        kind: 'logCounts',
        source: 'file',
        path: path('log'),
        scanned: lines.join('\n').length + 1,
        truncated: false,
      });
      assert.equal(answer.code, 0);
    });

    it('gives the newest lines, the oldest first, and a line with any of the texts', async () => {
      const { pid } = await startWithFile();
      const lines = Array.from({ length: 9 }, (_, n) =>
        klog(pid, new Date(), `${n % 2 ? 'odd' : 'even'} ${n}`),
      );
      await appendFile(path('log'), lines.join('\n'));
      assert.deepEqual(linesOf(await read(pid, { match: ['odd', 'even'], lines: 3 })), lines.slice(-3));
      assert.deepEqual(linesOf(await read(pid, { match: ['odd'], lines: 200 })).length, 4);
      assert.deepEqual(linesOf(await read(pid, { match: ['none'] })), []);
    });

    it('leaves out the lines of another process, and those before this one was started', async () => {
      const { pid } = await startWithFile();
      const before = new Date(Date.now() - day);
      const ours = klog(pid);
      const lines = [klog(pid + 1), klog(pid, before), ours, klog(pid + 1)];
      await appendFile(path('log'), `${lines.join('\n')}\n`);
      assert.deepEqual(linesOf(await read(pid)), [ours]);
    });

    for (const zone of [-570, -180, 330, 765])
      it(`knows the time of a kubelet ${zone} minutes ahead of UTC`, async () => {
        const { pid } = await startWithFile();
        const now = new Date();
        const lines = [
          klog(pid, new Date(now.getTime() - 7200_000), overflow, zone),
          klog(pid, now, overflow, zone),
        ];
        await appendFile(path('log'), `${lines.join('\n')}\n`);
        const answer = await read(pid);
        assert.deepEqual(linesOf(answer), lines.slice(1));
        assert.equal(recordOf(answer, 'logLine').at, Math.floor(now.getTime() / 1000));
      });

    it('goes by the year in which the file was written', async () => {
      const { pid } = await startWithFile();
      const newYear = new Date('2031-01-01T00:00:30Z');
      const lines = [klog(pid, new Date('2030-12-31T23:59:30Z')), klog(pid, newYear)];
      await appendFile(path('log'), `${lines.join('\n')}\n`);
      await utimes(path('log'), newYear, newYear);
      const times = (await read(pid)).records.flatMap((record) =>
        record.kind === 'logLine' ? [record.at] : [],
      );
      assert.deepEqual(times, [newYear.getTime() / 1000 - 60, newYear.getTime() / 1000]);
    });

    it('reads the JSON format of Kubernetes', async () => {
      const { pid } = await startWithFile();
      const json = (ts: number) => `{"ts":${ts}.25,"caller":"x.go:1","msg":"FsWatcher received error"}`;
      await appendFile(path('log'), `${json(Date.now() - day)}\n${json(Date.now())}\n`);
      const answer = await read(pid);
      assert.equal(linesOf(answer).length, 1);
      assert.ok(Math.abs((recordOf(answer, 'logLine').at ?? 0) - Date.now() / 1000) < 60);
    });

    it('keeps odd bytes, and cuts what is far too long', async () => {
      const { pid } = await startWithFile();
      const odd = Buffer.from([0x46, 0xff, 0xc3, 0x28, 0x00, 0x09, 0x22, 0x5c]);
      const long = `FsWatcher received error ${'x'.repeat(9000)}`;
      await writeFile(
        path('log'),
        Buffer.concat([Buffer.alloc(5000), Buffer.from(match[0] ?? ''), odd, Buffer.from(`\n\n${long}`)]),
      );
      const [first, second, ...rest] = linesOf(await read(pid));
      assert.equal(first, `FsWatcher received error${byteText(0x46, 0xff, 0xc3, 0x28)}?\t"\\`);
      assert.equal(second, long.slice(0, 4096));
      assert.deepEqual(rest, []);
    });

    it('gives a line without a time, without one', async () => {
      const { pid } = await startWithFile();
      await appendFile(path('log'), 'FsWatcher received error\n');
      assert.equal(recordOf(await read(pid), 'logLine').at, null);
    });

    it('reads a file that was removed or renamed meanwhile', async () => {
      const { pid, write } = await startWithFile();
      write(klog(pid));
      await waitForText(path('log'), overflow);
      await sandbox().run(['rm', path('log')]);
      const answer = await read(pid);
      assert.equal(linesOf(answer).length, 1);
      assert.equal(recordOf(answer, 'logCounts').path, `${path('log')} (deleted)`);
    });

    it('reads the last 16 MiB of a longer one, and says so where older lines of this kubelet are left out', async () => {
      const { pid } = await startWithFile();
      const later = new Date(Date.now() + 600_000);
      await appendFile(path('log'), `${klog(pid)}\n`);
      await truncate(path('log'), 17 << 20);
      await appendFile(path('log'), `\n${klog(pid, later)}\n`);
      await utimes(path('log'), later, later);
      const answer = await read(pid);
      const counts = recordOf(answer, 'logCounts');
      assert.deepEqual(linesOf(answer), [klog(pid, later)]);
      assert.equal(counts.scanned, 16 << 20);
      assert.equal(counts.truncated, true);
    });

    it('is not truncated where what is left out belongs to an earlier kubelet', async () => {
      const { pid } = await startWithFile();
      await truncate(path('log'), 17 << 20);
      await appendFile(path('log'), `\n${klog(pid + 1)}\n${klog(pid)}\n`);
      assert.equal(recordOf(await read(pid), 'logCounts').truncated, false);
    });

    it('is truncated where the log was rotated', async () => {
      const { pid } = await startWithFile();
      const later = new Date(Date.now() + 600_000);
      await appendFile(path('log'), `${klog(pid, later, 'x.go:1] "later"')}\n`);
      await utimes(path('log'), later, later);
      assert.equal(recordOf(await read(pid), 'logCounts').truncated, true);
    });
  });

  describe('of a pipe', () => {
    it('reads what svlogd writes', async () => {
      await mkdir(path('logs'));
      const { pid, write } = await start('exec 2> >(exec svlogd -tt "$1")', path('logs'));
      write(klog(pid));
      write(klog(pid + 1));
      await waitForText(path('logs/current'), klog(pid + 1, new Date(), '').slice(0, 5));
      await waitForText(path('logs/current'), `${pid + 1} plugin`);
      const answer = await read(pid);
      const counts = recordOf(answer, 'logCounts');
      assert.match(recordOf(answer, 'logLine').line, /^\S+_\S+ E\d{4} .*queue or buffer overflow"$/);
      assert.deepEqual([counts.source, counts.path], ['pipe', path('logs/current')]);
    });

    it('reads the file to which a shell sends it', async () => {
      const { pid, write } = await start('exec 2> >(exec cat >>"$1")', path('log'));
      write(klog(pid));
      await waitForText(path('log'), overflow);
      assert.equal(linesOf(await read(pid)).length, 1);
    });

    it('refuses where nobody reads it from a standard input, or writes it to a file', async () => {
      const nobody = await start('exec 3> >(exec sleep 600 4<&0 </dev/null); exec 2>&3');
      const first = await read(nobody.pid);
      assert.deepEqual([first.code, first.error?.code], [1, 'not-found']);
      assert.match(first.error?.what ?? '', /no process has the pipe/);
      const noFile = await start('exec 2> >(exec cat >/dev/null 2>&1)');
      const second = await read(noFile.pid);
      assert.deepEqual([second.code, second.error?.code], [1, 'not-found']);
      assert.match(second.error?.what ?? '', /reads kubelet's standard error and writes no file/);
    });
  });

  describe('of the journal', () => {
    const startWithSocket = async () => {
      const script =
        'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0); open(STDERR, ">&", $a); $| = 1; print "ready\\n"; sleep 600';
      return (await sandbox().start(['perl', '-MSocket', '-e', script])).pid();
    };
    const replaceJournalctl = async (script: string) => {
      await writeFile(path('journalctl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const { code } = await sandbox().run(['mount', '--bind', path('journalctl'), '/usr/bin/journalctl']);
      assert.equal(code, 0);
    };
    const iso = (date: Date) => date.toISOString().replace(/\.\d+Z$/, '+0000');

    it('asks journalctl for the lines of this process, and turns them round', async () => {
      const now = new Date();
      const pid = await startWithSocket();
      const older = new Date(now.getTime() + 1000);
      await replaceJournalctl([`echo "$*" >${path('asked')}`, `cat ${path('said')}`].join('\n'));
      const line = (date: Date) => `${iso(date)} node kubelet[${pid}]: E0101 00:00:00.000000 1 ${overflow}`;
      await writeFile(
        path('said'),
        `${line(older)}\n${line(now)}\n${iso(now)} node kubelet[${pid}]: other\n`,
      );
      const answer = await read(pid);
      assert.deepEqual(linesOf(answer), [line(now), line(older)]);
      assert.deepEqual(linesOf(await read(pid, { lines: 1 })), [line(older)]);
      const counts = recordOf(answer, 'logCounts');
      assert.deepEqual([counts.source, counts.path, counts.truncated], ['journal', null, false]);
      const times = answer.records.flatMap((record) => (record.kind === 'logLine' ? [record.at] : []));
      assert.deepEqual(
        times,
        [now, older].map((date) => Math.floor(date.getTime() / 1000)),
      );
      assert.match(
        await readFile(path('asked'), 'utf8'),
        new RegExp(`^_PID=${pid} --since=@\\d+ --reverse --output=short-iso --no-pager --quiet$`, 'm'),
      );
    });

    it('finds nothing in the journal of a host that keeps none', async () => {
      const answer = await read(await startWithSocket());
      assert.deepEqual(linesOf(answer), []);
      assert.equal(recordOf(answer, 'logCounts').scanned, 0);
    });

    it('ends a journalctl that says too much, or nothing', async () => {
      const pid = await startWithSocket();
      await replaceJournalctl("exec yes 'FsWatcher received error'");
      const flood = recordOf(await read(pid, { deadline: 20_000 }), 'logCounts');
      assert.deepEqual([flood.scanned, flood.truncated], [16 << 20, true]);
      await replaceJournalctl('exec sleep 600');
      const { code, error } = await read(pid, { deadline: 300 });
      assert.deepEqual([code, error?.code], [1, 'hung']);
      assert.equal((await sandbox().run(['pgrep', '-x', 'yes|sleep'])).stdout, '');
    });

    it('gives the words of a journalctl that fails', async () => {
      const pid = await startWithSocket();
      await replaceJournalctl('echo starting; echo "no such journal" >&2; exit 3');
      const { error } = await read(pid);
      assert.deepEqual([error?.code, error?.what], ['system', 'journalctl ended with 3: no such journal']);
    });

    it('is unsupported with the rights of looking alone, which do for files', async () => {
      const args = async (pid: number) =>
        agentArgs.kubeletLog({ pid, startTicks: await ticksOf(pid), match });
      const withFewRights = async (pid: number) => {
        const rights = 'cap_sys_ptrace,cap_dac_read_search';
        const drop = [
          'setpriv',
          '--no-new-privs',
          '--bounding-set',
          `-all,+${rights
            .split(',')
            .map((each) => each.slice(4))
            .join(',+')}`,
        ];
        return runAgent(sandbox(), drop[0] ?? '', [...drop.slice(1), agent(), ...(await args(pid))]);
      };
      const { error } = await withFewRights(await startWithSocket());
      assert.equal(error?.code, 'unsupported');
      assert.match(error?.what ?? '', /full rights only/);
      const { pid } = await startWithFile();
      await appendFile(path('log'), `${klog(pid)}\n`);
      await sandbox().run(['chown', '1000', path('log')]);
      await sandbox().run(['chmod', '600', path('log')]);
      assert.equal(linesOf(await withFewRights(pid)).length, 1);
    });
  });

  describe('refuses', () => {
    it('another process than the one that is meant', async () => {
      const { pid } = await startWithFile();
      const other = String(Number(await ticksOf(pid)) + 1);
      const { code, error } = await runAgent(
        sandbox(),
        agent(),
        agentArgs.kubeletLog({ pid, startTicks: other, match }),
      );
      assert.deepEqual([code, error?.code], [1, 'no-process']);
    });

    it('a standard error that goes nowhere', async () => {
      for (const [redirection, words] of [
        ['exec 2>/dev/null', /goes to no log/],
        ['exec 2>&-', /has no standard error/],
      ] as const) {
        const { pid } = await start(redirection);
        const { code, error } = await read(pid);
        assert.deepEqual([code, error?.code], [1, 'not-found']);
        assert.match(error?.what ?? '', words);
      }
    });

    it('a call without a text', async () => {
      const { code, error } = await runAgent(
        sandbox(),
        agent(),
        agentArgs.kubeletLog({ pid: 1, startTicks: '1', match: [] }),
      );
      assert.deepEqual([code, error?.code], [2, 'usage']);
    });
  });
});
