import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance } from 'fastify';
import Type from 'typebox';
import { createServer } from '../../src/edge/server/index.ts';
import { defineForm } from '../../src/edge/server/surface.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { type Blobs, openBlobs } from '../../src/foundation/storage/index.ts';
import { unrestrictedAccess } from '../harness/unrestricted-access.ts';

const MOST = 2 * 1024 ** 3;
const form = defineForm(Type.Object({}), { file: { required: true } });

let uploads = 0;

function uploadRoute(app: FastifyInstance, blobs: Blobs): void {
  app.post('/upload', {
    config: { access: { kind: 'public' } },
    handler: async (request) => {
      const key = { area: 'bench', owner: 'bench', name: `upload-${++uploads}` };
      const { files } = await form.read(request, {
        maxBytes: MOST,
        store: async ({ bytes }) => ({ key, ...(await blobs.put(key, bytes, { payer: null })) }),
        discard: (stored) => blobs.delete(stored.key),
      });
      await blobs.delete(key);
      return { bytes: files.file!.bytes };
    },
  });
}

async function serveTrunkline(blobs: Blobs): Promise<string> {
  const server = await createServer({
    config: { host: '127.0.0.1', port: 0, baseUrl: null, trustedProxies: [], drainSeconds: 1 },
    log: createLog({ level: 'silent' }),
    access: unrestrictedAccess,
    surfaces: [{ name: 'upload', routes: (app) => uploadRoute(app, blobs) }],
  });
  return server.listen();
}

async function serveNode(blobs: Blobs): Promise<string> {
  const app = Fastify({ bodyLimit: MOST });
  await app.register(multipart, { throwFileSizeLimit: false });
  uploadRoute(app, blobs);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const [kind, folder = ''] = process.argv.slice(2);
const blobs = await openBlobs({ folder });
process.send?.(await (kind === 'node' ? serveNode(blobs) : serveTrunkline(blobs)));
process.on('disconnect', () => process.exit(0));
