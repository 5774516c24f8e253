import { useEffect, useId, useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { go } from '../data/route.ts';
import {
  cancelTestRun,
  forgetRun,
  isPlayedHere,
  recordTestRun,
  startTestRun,
  storedRun,
  storedSuite,
  storeRun,
  storeSuite,
  testRun,
} from '../data/test-runs.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Choose } from '../kit/choose.tsx';
import { Code, samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { PublishGate } from './agent-gate.tsx';
import { makeFirstAgent } from './first-call.tsx';
import type { PageProps } from './index.tsx';
import { TestRun } from './test-run.tsx';

const exampleOf = (
  agentId: string,
): string => `# Each step says words to the agent, and expects one or more of:
# says, says_not, meaning, within_ms, tool, no_tool, silent.
name: First suite
agent_id: ${agentId}
scenarios:
  - name: asks when you are open
    steps:
      - say: Hello. When are you open?
        expect: { within_ms: 6000 }
    expect: { outcome: client_ended }
`;

export function Tests({ rest: [wanted] }: PageProps) {
  const agents = useLoad('/v1/agents?limit=100');
  const rows: readonly Json[] = agents.data?.data ?? [];
  const agent = rows.find(({ id }) => id === wanted) ?? rows[0];
  return (
    <Page
      title={t('Tests')}
      lead={t('A suite calls an agent, says what callers say, and checks what the agent does.')}
    >
      {agents.data === null && <LoadingState error={agents.error} />}
      {agents.data !== null && agent === undefined && (
        <div class="card">
          <Empty
            icon="done"
            says={t('A test needs an agent to call.')}
            example={{
              label: t('Make an agent'),
              run: async () => {
                await makeFirstAgent();
                agents.reload();
              },
            }}
            samples={samplesOf('POST', '/v1/agents', { name: 'Reception' })}
          />
        </div>
      )}
      {agent !== undefined && <TestsOf key={agent.id} id={agent.id} agents={rows} />}
    </Page>
  );
}

function TestsOf({ id, agents }: { readonly id: string; readonly agents: readonly Json[] }) {
  const path = `/v1/agents/${id}`;
  const agent = useLoad(path);
  const versions = useLoad(`${path}/versions`);
  const [chosen, setChosen] = useState('');
  const [turn, setTurn] = useState(0);
  const rows: readonly Json[] = versions.data?.data ?? [];
  const version = Number(chosen === '' ? (rows[0]?.version ?? 0) : chosen);
  const tests = useTestRun(id, () => setTurn((one) => one + 1));
  const publish = async () => {
    await post(`${path}/publish`, { version: tests.version });
    versions.reload();
  };
  const isServed = rows.some((row) => row.version === tests.version && row.percent === 100);
  return (
    <>
      <div class="filters">
        <Choose
          label={t('Agent')}
          value={id}
          options={agents.map((row) => [row.id, row.name] as const)}
          onChange={(next) => go('tests', next)}
        />
        <Choose
          label={t('Version')}
          value={String(version)}
          options={rows.map((row) => [
            String(row.version),
            row.percent > 0
              ? t('{n} (serves calls)', { n: row.version })
              : t('{n} (draft)', { n: row.version }),
          ])}
          onChange={setChosen}
        />
      </div>
      <ErrorNotice error={versions.error ?? agent.error} />
      <div class="two">
        <SuiteEditor
          id={id}
          isReady={version > 0}
          isRunning={tests.isRunning}
          run={(yaml) => tests.start(yaml, version)}
          stop={tests.stop}
          error={tests.error}
        />
        <section>
          {tests.run !== null && (
            <section class="card" aria-label={t('Result')}>
              <h2>{t('Result')}</h2>
              <TestRun run={tests.run} version={tests.version} />
              <p class="quiet small">
                {t('The server keeps these details for an hour, and how the run ended for good.')}
              </p>
              {tests.run.passed && !isServed && (
                <ActionButton label={t('Serve all calls')} of={String(tests.version)} run={publish} />
              )}
            </section>
          )}
          {agent.data !== null && <PublishGate key={turn} agent={agent.data} changed={agent.reload} isOpen />}
        </section>
      </div>
    </>
  );
}

interface EditorProps {
  readonly id: string;
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly run: (yaml: string) => void;
  readonly stop: () => void;
  readonly error: Error | null;
}

function SuiteEditor({ id, isReady, isRunning, run, stop, error }: EditorProps) {
  const example = exampleOf(id);
  const [yaml, setYaml] = useState(() => storedSuite(id) ?? example);
  const area = useId();
  const file = useId();
  const change = (next: string) => {
    setYaml(next);
    storeSuite(id, next);
  };
  const send = (event: Event) => {
    event.preventDefault();
    run(yaml);
  };
  const read = async (given: File | undefined) => {
    if (given !== undefined) change(await given.text());
  };
  return (
    <form class="card" aria-label={t('Suite')} onSubmit={send}>
      <h2>{t('Suite')}</h2>
      <div class="field">
        <label for={area}>{t('Suite (YAML)')}</label>
        <textarea
          id={area}
          class="mono"
          rows={14}
          required
          spellcheck={false}
          value={yaml}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <div class="hint">{t('Only this browser keeps it: download it for colleagues.')}</div>
      </div>
      <div class="field">
        <label for={file}>{t('Or a file with a suite')}</label>
        <input
          id={file}
          type="file"
          accept=".yaml,.yml"
          onChange={(event) => read(event.currentTarget.files?.[0])}
        />
      </div>
      {isPlayedHere(error) ? (
        <ErrorNotice error={error} />
      ) : (
        <p class="alert" role="alert">
          {t(
            'This server plays no suites itself; its operator can set TRUNKLINE_MCP=true. The command plays it meanwhile.',
          )}
        </p>
      )}
      <div class="row">
        <button type="submit" class="main" disabled={isRunning || !isReady}>
          {t('Run the suite')}
        </button>
        {isRunning && (
          <button type="button" onClick={stop}>
            {t('Stop the run')}
          </button>
        )}
        {yaml !== example && (
          <button type="button" onClick={() => change(example)}>
            {t('Load an example')}
          </button>
        )}
        <a
          class="button"
          href={`data:text/yaml;charset=utf-8,${encodeURIComponent(yaml)}`}
          download="suite.yaml"
        >
          {t('Download')}
        </a>
      </div>
      <p class="quiet small">
        {t('The calls are real, take as long as calls do, and are billed as calls in the live environment.')}
      </p>
      <details>
        <summary class="quiet small">{t('The same from a program')}</summary>
        <Code
          samples={[
            [
              'sh',
              `npx trunkline test suite.yaml --url ${location.origin} --key $TRUNKLINE_API_KEY --agent ${id} --publish`,
            ],
          ]}
        />
      </details>
    </form>
  );
}

/** A run goes on while the page is away; it is followed again when the page is back, for an hour. */
function useTestRun(id: string, recorded: () => void) {
  const [following, setFollowing] = useState(() => storedRun(id));
  const [run, setRun] = useState<Json>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isStarting, setStarting] = useState(false);
  useEffect(() => {
    if (following === null) return;
    let gone = false;
    const follow = async () => {
      for (;;) {
        const now = await testRun(following.run);
        if (gone) return;
        setRun(now);
        if (now.status === 'playing') continue;
        if (now.status !== 'over' || following.isRecorded) return;
        await recordTestRun(id, following.version, now);
        storeRun(id, { ...following, isRecorded: true });
        recorded();
        return;
      }
    };
    follow().catch((thrown: Error) => {
      if (gone) return;
      setRun(null);
      // The server has forgotten a run of an earlier visit.
      if (following.isRecorded) forgetRun(id);
      else setError(thrown);
    });
    return () => {
      gone = true;
    };
  }, [following]);
  const start = async (suite: string, version: number) => {
    setError(null);
    setStarting(true);
    try {
      const next = { run: await startTestRun({ suite, agentId: id, version }), version, isRecorded: false };
      storeRun(id, next);
      setRun(null);
      setFollowing(next);
    } catch (thrown) {
      setError(thrown as Error);
    }
    setStarting(false);
  };
  const isRunning = isStarting || (following !== null && run?.status === 'playing');
  const stop = async () => {
    if (following !== null) setRun(await cancelTestRun(following.run));
  };
  return { run, version: following?.version ?? 0, error, isRunning, start, stop };
}
