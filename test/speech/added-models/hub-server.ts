import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubFileBytes {
  readonly bytes: Buffer;
  /** The answer does not say its length. */
  readonly isChunked?: boolean;
  readonly claimed?: { readonly size?: number; readonly sha256?: string };
}

export interface HubRepository {
  readonly licence?: string;
  readonly token?: string;
  readonly files: Readonly<Record<string, HubFileBytes>>;
}

/** Files from this size on are in large-file storage, on another origin. */
const LARGE = 1024;
export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

export class HubServer {
  readonly requests: { path: string; range: string | undefined; authorization: string | undefined }[] = [];
  readonly repositories = new Map<string, HubRepository>();
  readonly cuts: number[] = [];
  #hub!: Server;
  #storage!: Server;

  static async start(): Promise<HubServer> {
    const hub = new HubServer();
    hub.#storage = await listening((request, response) => hub.#store(request, response));
    hub.#hub = await listening((request, response) => hub.#answer(request, response));
    return hub;
  }

  get endpoint(): string {
    return addressOf(this.#hub);
  }

  stop(): void {
    for (const server of [this.#hub, this.#storage]) {
      server.closeAllConnections();
      server.close();
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): unknown {
    this.#note(request);
    const path = decodeURIComponent((request.url ?? '').split('?')[0] as string);
    const api = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/(.+)$/.exec(path);
    const file = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
    const repository = this.repositories.get(api?.[1] ?? file?.[1] ?? '');
    const revision = api?.[2] ?? file?.[2] ?? '';
    if (!repository || !['main', 'v1.0.0', COMMIT].includes(revision)) return end(response, 404);
    if (repository.token && request.headers.authorization !== `Bearer ${repository.token}`)
      return end(response, 401);
    if (api) return json(response, listOf(repository));
    const found = repository.files[file?.[3] ?? ''];
    if (!found) return end(response, 404);
    if (found.bytes.length < LARGE) return this.#send(request, response, found);
    const where = `${addressOf(this.#storage)}/${encodeURIComponent(file?.[1] ?? '')}/${encodeURIComponent(file?.[3] ?? '')}`;
    return response.writeHead(302, { location: where }).end();
  }

  #store(request: IncomingMessage, response: ServerResponse): unknown {
    this.#note(request);
    const [, name = '', path = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    const found = this.repositories.get(name)?.files[path];
    if (!found) return end(response, 404);
    return this.#send(request, response, found);
  }

  #note({ url = '', headers }: IncomingMessage): void {
    this.requests.push({ path: url, range: headers.range, authorization: headers.authorization });
  }

  #send(request: IncomingMessage, response: ServerResponse, { bytes, isChunked }: HubFileBytes): void {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      ...(isChunked === true ? {} : { 'content-length': rest.length }),
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    const cut = bytes.length >= LARGE ? this.cuts.shift() : undefined;
    if (cut === undefined || cut >= rest.length) response.end(rest);
    else response.write(rest.subarray(0, cut), () => response.socket?.end());
  }
}

function listOf({ licence, files }: HubRepository): object {
  return {
    sha: COMMIT,
    ...(licence ? { cardData: { license: licence } } : {}),
    siblings: Object.entries(files).map(([rfilename, { bytes, claimed }]) => {
      const size = claimed?.size ?? bytes.length;
      const sha256 = claimed?.sha256 ?? createHash('sha256').update(bytes).digest('hex');
      const blobId = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
      return bytes.length >= LARGE
        ? { rfilename, size, blobId, lfs: { sha256, size, pointerSize: 134 } }
        : { rfilename, size, blobId: claimed?.sha256 ?? blobId };
    }),
  };
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function listening(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  const server = createServer(answer);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const end = (response: ServerResponse, status: number) => response.writeHead(status).end();

const json = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
