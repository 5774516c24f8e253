import { readFileSync } from 'node:fs';
import type { Case, ValidRequest } from '../contract/case.ts';
import { CASES } from '../contract/cases/index.ts';
import { credentialKind, type DescribedOperation, operationsOf } from '../contract/operations.ts';
import { OPERATOR_TOKEN, type World } from '../contract/world.ts';
import { RECORDING } from '../media/codec/recordings.ts';

export interface Call {
  readonly operation: DescribedOperation;
  readonly operationId: string;
  readonly tag: string;
  readonly one: Case;
  readonly succeeds: boolean;
}

export function callsOf(world: World): Call[] {
  const paths = world.openapi.paths as Record<
    string,
    Record<string, { operationId: string; tags: string[] }>
  >;
  return operationsOf(world.openapi).map((operation) => {
    const { operationId, tags } = paths[operation.path]![operation.method.toLowerCase()]!;
    const one = CASES[operation.name]!;
    const succeeds = one.cannotSucceed === undefined && (one.needsModels !== true || world.ready);
    return { operation, operationId, tag: tags[0]!, one, succeeds };
  });
}

export const keyOf = (world: World, { operation }: Call): string =>
  ({ key: world.ours.key, session: world.ours.session, operator: OPERATOR_TOKEN, none: '' })[
    credentialKind(operation)
  ];

const RAW: Readonly<Record<string, () => Buffer>> = {
  'POST /deepgram/v1/listen': () => readFileSync(RECORDING),
  'POST /v1/realtime/calls': () => Buffer.from('v=0'),
  'POST /v1/omni/webrtc': () => Buffer.from('v=0'),
  'PATCH /v1/omni/webrtc/{call_id}': () => Buffer.from('a=end-of-candidates'),
  'PUT /v1/omni/webrtc/{call_id}': () => Buffer.from('v=0'),
  'POST /public/msgapp/webhook': () => Buffer.from('{}'),
};

/** The signed webhook is JSON to its sender, and bytes to every client. */
export const rawBody = ({ operation }: Call, good: ValidRequest): Buffer | undefined =>
  operation.name === 'POST /auth/{hosting_partner}/webhook'
    ? Buffer.from(JSON.stringify(good.json))
    : RAW[operation.name]?.();

export type FormEntry = ReturnType<FormData['getAll']>[number];

export function fieldsOf(form: FormData): Record<string, FormEntry | FormEntry[]> {
  const fields: Record<string, FormEntry | FormEntry[]> = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    fields[name] = values.length > 1 ? values : values[0]!;
  }
  return fields;
}
