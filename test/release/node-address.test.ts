import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { root } from '../running-server.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly clusterIP?: string;
    readonly ports: readonly [{ readonly port: number }];
    readonly serviceName: string;
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly env: Variable[] }] } };
  };
}

/** Kubernetes replaces $(NAME) by a variable of the container that stands before. */
function environmentOf(variables: readonly Variable[], fields: Readonly<Record<string, string>>) {
  const made: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of variables)
    made[name] = valueFrom
      ? (fields[valueFrom.fieldRef.fieldPath] as string)
      : value.replace(/\$\((\w+)\)/g, (all, other: string) => made[other] ?? all);
  return made;
}

it.each(['single.yaml', 'cluster.yaml'])(
  'gives each node of %s the address that others reach it at',
  (name) => {
    const text = readFileSync(join(root, 'scripts/release/kubernetes', name), 'utf8');
    const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    const { metadata, spec } = manifests.find(({ kind }) => kind === 'StatefulSet') as Manifest;
    const nodes = manifests.find(({ spec: { clusterIP } }) => clusterIP === 'None') as Manifest;
    expect(spec.serviceName).toBe(nodes.metadata.name);
    const pod = `${metadata.name}-1`;
    const environment = environmentOf(spec.template.spec.containers[0].env, { 'metadata.name': pod });
    const [{ port }] = nodes.spec.ports;
    expect(loadConfig(environment).nodeUrl).toBe(`http://${pod}.${nodes.metadata.name}:${port}`);
  },
);

it('makes the address of the name of the release, by which the chart calls the service', () => {
  const template = (name: string) =>
    readFileSync(join(root, 'scripts/release/chart/templates', `${name}.yaml`), 'utf8');
  const service = '{{ include "trunkline.name" . }}-nodes';
  expect(template('services')).toContain(`name: ${service}\n`);
  expect(template('statefulset')).toContain(`value: "http://$(POD_NAME).${service}:8080"`);
});
