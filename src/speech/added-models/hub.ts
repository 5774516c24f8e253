import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { type RemoteFile, refused } from './download.ts';
import { AddedModelError } from './errors.ts';
import type { ModelSource } from './source.ts';

export interface Hub {
  readonly endpoint: string;
  readonly token: string | null;
}

export interface HubFile extends RemoteFile {
  readonly path: string;
  readonly bytes: number;
}

export interface Repository {
  readonly revision: string;
  readonly licence: string | null;
  readonly files: readonly HubFile[];
}

const Answer = Type.Object({
  sha: Type.String({ pattern: '^[0-9a-f]{40,64}$' }),
  cardData: Type.Optional(Type.Unknown()),
  tags: Type.Optional(Type.Array(Type.String())),
  siblings: Type.Array(
    Type.Object({
      rfilename: Type.String({ minLength: 1, maxLength: 1000 }),
      size: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
      blobId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      lfs: Type.Optional(
        Type.Union([Type.Object({ sha256: Type.String(), size: Type.Optional(Type.Number()) }), Type.Null()]),
      ),
    }),
  ),
});

const LIST_BYTES = 64 * 1024 * 1024;
const LIST_MS = 60_000;

export function hubOf(environment: NodeJS.ProcessEnv): Hub {
  const endpoint = (environment.HF_ENDPOINT || 'https://huggingface.co').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/.test(endpoint))
    throw new AddedModelError(`HF_ENDPOINT is not an http(s) URL: ${endpoint}`);
  return { endpoint, token: environment.HF_TOKEN || null };
}

export async function listRepository(
  hub: Hub,
  source: Extract<ModelSource, { kind: 'hub' }>,
  gate: UrlGate,
): Promise<Repository> {
  const { owner, name, revision } = source;
  const headers: Record<string, string> = hub.token === null ? {} : { authorization: `Bearer ${hub.token}` };
  const url = `${hub.endpoint}/api/models/${owner}/${name}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const answer = await gate.fetch(url, {
    headers,
    maxBytes: LIST_BYTES,
    timeoutMs: LIST_MS,
    maxRedirects: 2,
  });
  if (answer.status !== 200) throw await refused(url, answer);
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk as Buffer);
  const facts = readAnswer(Buffer.concat(chunks).toString('utf8'), url);
  const base = `${hub.endpoint}/${owner}/${name}/resolve/${facts.sha}`;
  const files = facts.siblings.map(({ rfilename, size, blobId, lfs }): HubFile => {
    if (rfilename.startsWith('/') || rfilename.includes('\\') || rfilename.split('/').includes('..'))
      throw new AddedModelError(`${url} lists a file outside of the repository: ${rfilename.slice(0, 100)}`);
    const bytes = lfs?.size ?? size;
    if (typeof bytes !== 'number')
      throw new AddedModelError(`${url} does not state the size of ${rfilename}`);
    return {
      path: rfilename,
      url: `${base}/${rfilename.split('/').map(encodeURIComponent).join('/')}`,
      headers,
      bytes,
      ...(lfs ? { sha256: lfs.sha256 } : blobId ? { gitSha1: blobId } : {}),
    };
  });
  return { revision: facts.sha, licence: licenceOf(facts), files };
}

function readAnswer(text: string, url: string) {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AddedModelError(`${url} did not answer as a hub of models does: is HF_ENDPOINT right?`);
  }
  if (!Value.Check(Answer, json))
    throw new AddedModelError(`${url} did not answer with a repository's files: is HF_ENDPOINT right?`);
  return json;
}

function licenceOf({ cardData, tags }: { cardData?: unknown; tags?: string[] }): string | null {
  const said = (cardData as { license?: unknown } | undefined)?.license;
  if (typeof said === 'string') return said;
  return tags?.find((tag) => tag.startsWith('license:'))?.slice('license:'.length) ?? null;
}
