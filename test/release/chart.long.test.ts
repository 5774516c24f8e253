/**
 * helm itself checks the chart and the plain manifests, and kubeconform checks them by Kubernetes' own schemas where
 * it is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environmentName, SETTINGS, type SettingName } from '../../src/foundation/platform/config/index.ts';
import { root } from '../running-server.ts';

/** scripts/release/chart-tools.sh installs the tools here; a tool on the path serves as well. */
const TOOLS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline/tools');
const environment = { ...process.env, PATH: `${join(TOOLS, 'bin')}${delimiter}${process.env.PATH}` };
const run = (program: string, args: readonly string[], input = '') =>
  spawnSync(program, args, { cwd: join(root, 'scripts/release'), encoding: 'utf8', env: environment, input });
const has = (program: string, flag: string) => run(program, [flag]).status === 0;

const KUBERNETES = '1.34.0';
const SCHEMAS = join(TOOLS, `kubernetes-json-schema/v${KUBERNETES}-local-strict`);
const noHelm = has('helm', 'version') ? '' : 'helm (bash scripts/release/chart-tools.sh brings it)';
const noSchemas =
  has('kubeconform', '-v') && existsSync(SCHEMAS)
    ? ''
    : `kubeconform, or the schemas of Kubernetes in ${SCHEMAS} (bash scripts/release/chart-tools.sh brings both)`;
for (const lacking of [noHelm, noSchemas])
  if (lacking !== '') console.warn(`the chart is not held in full, for want of ${lacking}`);

const manifest = (name: string) => readFileSync(join(root, 'scripts/release/kubernetes', name), 'utf8');
const FORMS = {
  'single.yaml': [],
  'cluster.yaml': ['--values', 'kubernetes/cluster-values.yaml'],
} as const;
const template = (...args: string[]) =>
  run('helm', ['template', 'trunkline', 'chart', '--kube-version', KUBERNETES, ...args]);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}
const documents = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as Manifest);
const ofKind = (name: string, kind: string) => documents(manifest(name)).find((one) => one.kind === kind);

describe('the plain manifests', () => {
  it('hold a node, its two services and a disruption budget; a cluster adds scaling and an ingress', () => {
    const kinds = (name: string) =>
      documents(manifest(name))
        .map(({ kind }) => kind)
        .sort();
    const single = ['PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'];
    expect(kinds('single.yaml')).toEqual(single);
    expect(kinds('cluster.yaml')).toEqual(['HorizontalPodAutoscaler', 'Ingress', ...single]);
  });

  it.each(Object.keys(FORMS))(
    '%s drains a node before it is killed, and probes what the server has',
    (name) => {
      const { template: pod } = ofKind(name, 'StatefulSet')!.spec as {
        template: { spec: { terminationGracePeriodSeconds: number; containers: Record<string, never>[] } };
      };
      const [container] = pod.spec.containers as unknown as [
        {
          env: { name: string; value: string }[];
          lifecycle: { preStop: { exec: { command: [string, string] } } };
          startupProbe: { httpGet: { path: string } };
          readinessProbe: { httpGet: { path: string } };
          livenessProbe: { httpGet: { path: string } };
          securityContext: object;
        },
      ];
      const drain = Number(container.env.find((one) => one.name === 'TRUNKLINE_DRAIN_SECONDS')!.value);
      const [, pause] = container.lifecycle.preStop.exec.command;
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + Number(pause));
      expect(container.startupProbe.httpGet.path).toBe('/readyz');
      expect(container.readinessProbe.httpGet.path).toBe('/readyz');
      expect(container.livenessProbe.httpGet.path).toBe('/healthz');
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const known = (Object.keys(SETTINGS) as SettingName[]).map(environmentName);
      for (const { name: variable } of container.env) expect([...known, 'POD_NAME']).toContain(variable);
    },
  );

  it('scales by the metric that the adapter makes of the metrics of the server', () => {
    const { metrics } = ofKind('cluster.yaml', 'HorizontalPodAutoscaler')!.spec as {
      metrics: [{ pods: { metric: { name: string } } }];
    };
    const { rules } = parse(manifest('adapter-rules.yaml')) as {
      rules: { custom: [{ name: { as: string }; metricsQuery: string }] };
    };
    expect(rules.custom[0].name.as).toBe(metrics[0].pods.metric.name);
    const board = readFileSync(join(root, 'docs/guides/grafana/trunkline.json'), 'utf8');
    const named = rules.custom[0].metricsQuery.match(/trunkline_\w+/g)!;
    for (const metric of named) expect(board).toContain(metric);
  });
});

describe.skipIf(noHelm !== '')('the chart', () => {
  it('has no fault that helm finds, and makes the manifests that are kept', () => {
    const linted = run('helm', ['lint', '--strict', 'chart']);
    expect(linted.stdout).toContain('0 chart(s) failed');
    for (const [name, args] of Object.entries(FORMS)) expect(template(...args).stdout).toBe(manifest(name));
  });

  it('refuses two nodes that share nothing', () => {
    const { status, stderr } = template('--set', 'replicas=2');
    expect(status).not.toBe(0);
    expect(stderr).toContain('more than one node needs existingSecret');
  });

  it.each([
    ['gpu.enabled=true', '-gpu"'],
    ['image.full=true', '-full"'],
  ])('takes with %s the image with models, without a volume of them', (values, ending) => {
    const made = template('--set', values);
    const set = documents(made.stdout).find(({ kind }) => kind === 'StatefulSet')!;
    const text = JSON.stringify(set);
    expect(text.includes('"nvidia.com/gpu":1')).toBe(values.startsWith('gpu'));
    expect(text).toContain(ending);
    expect(text).not.toContain('"mountPath":"/models"');
  });
});

describe.skipIf(noSchemas !== '')('the schemas of Kubernetes', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubernetes-schemas-'));
    // kubeconform reads schemas whose references stay within their file.
    const read = (name: string) =>
      JSON.parse(
        readFileSync(join(SCHEMAS, name), 'utf8')
          .replaceAll('/api/_definitions.json#/$defs/', '#/definitions/')
          .replaceAll('#/$defs/', '#/definitions/'),
      );
    const { $defs: definitions } = read('_definitions.json');
    const wanted =
      /^(statefulset-apps|service|poddisruptionbudget-policy|horizontalpodautoscaler-autoscaling|ingress-networking)-v[12]\.json$/;
    for (const name of readdirSync(SCHEMAS).filter((file) => wanted.test(file)))
      writeFileSync(join(folder, name), JSON.stringify({ ...read(name), definitions }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const conform = (text: string) => {
    const schemas = `${folder}/{{.ResourceKind}}{{.KindSuffix}}.json`;
    return run('kubeconform', ['-strict', '-summary', '-schema-location', schemas], text);
  };

  it.each(Object.keys(FORMS))('accept %s', (name) => {
    const { stdout, status } = conform(manifest(name));
    expect({ stdout, status }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Invalid: 0, Errors: 0'),
    });
  });

  it('refuse a field that Kubernetes does not have', () => {
    expect(conform(manifest('single.yaml').replace('runAsNonRoot', 'runAsNoRoot')).status).toBe(1);
  });
});
