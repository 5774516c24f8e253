import { isDeepStrictEqual } from 'node:util';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { AuditActor } from '../../../foundation/audit/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { mergePatch } from '../../../foundation/platform/merge-patch.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { checkArgumentSchema } from '../../session/index.ts';
import { checkUrl } from '../check-agent.ts';
import { BUILTIN_TOOLS } from '../fields.ts';
import { EMPTY_TOOL, type ToolBody, type ToolChange, type ToolFields } from './fields.ts';
import type { Tool, ToolStore } from './tool-store.ts';

type ToolSaveHook = Parameters<ToolStore['create']>[2];

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });
const clean = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;

export class Tools {
  readonly store: ToolStore;
  readonly #gate: Pick<UrlGate, 'check'>;

  constructor(store: ToolStore, gate: Pick<UrlGate, 'check'>) {
    this.store = store;
    this.#gate = gate;
  }

  async create(scope: TenantScope, body: ToolBody, by: AuditActor, alongside?: ToolSaveHook): Promise<Tool> {
    return await this.store.create(scope, this.#checked({ ...EMPTY_TOOL, ...clean(body) }), alongside, by);
  }

  async replace(scope: TenantScope, id: string, body: ToolBody, by: AuditActor): Promise<Tool> {
    return await this.store.save(scope, id, this.#checked({ ...EMPTY_TOOL, ...clean(body) }), by);
  }

  /** A given `headers` field replaces all stored headers. */
  async patch(scope: TenantScope, id: string, change: ToolChange, by: AuditActor): Promise<Tool> {
    const before = await this.store.get(scope, id);
    const fields = mergePatch<ToolFields>(before.fields, change, EMPTY_TOOL);
    if (isDeepStrictEqual(fields, before.fields)) return before;
    return await this.store.save(scope, id, this.#checked(fields), by);
  }

  #checked(fields: ToolFields): ToolFields {
    const { kind, url, headers, allow, name } = fields;
    if (BUILTIN_TOOLS.some((builtin) => builtin === name))
      throw wrong('name', `${name} is the name of a built-in tool.`);
    if (kind === 'client') {
      if (url !== null)
        throw wrong('url', 'A client tool cannot have a url: the client of the call runs it.');
      if (Object.keys(headers).length > 0) throw wrong('headers', 'A client tool cannot have headers.');
    } else {
      if (url === null) throw wrong('url', `A ${kind} tool requires a url.`);
      checkUrl(this.#gate, url, 'url');
    }
    if (allow !== null && kind !== 'mcp') throw wrong('allow', 'allow is only supported for MCP tools.');
    try {
      checkArgumentSchema(fields.parameters);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : 'not a JSON Schema';
      throw new ApiError('invalid_request', `parameters: ${message}`, { param: 'parameters', cause });
    }
    return fields;
  }
}
