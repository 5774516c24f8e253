import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import { StaticFile, type Surface } from '../../server/surface.ts';

/**
 * The policy allows scripts, styles and requests of this server only, nothing inline, and no embedding in another
 * site's frame.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
/** The build names assets by content, so that they are immutable. */
const ASSET = /^[A-Za-z0-9_-]+\.(?:css|js|svg)$/;
const HTML = 'text/html; charset=utf-8';
const MISSING =
  '<!doctype html><html lang="en"><title>Trunkline</title><p>The console has not been built. Build it with <code>node scripts/console.mjs</code>; the rest of the server works.';

const Asset = Type.Object({
  file: Type.String({ maxLength: 100, pattern: ASSET.source, examples: ['index.js'] }),
});
type Asset = Static<typeof Asset>;
const PageQuery = Type.Object({
  refused: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The error code of a sign-in at the identity provider that failed.',
    }),
  ),
});

export function createConsoleSurface(folder = join(PROJECT_ROOT, 'dist-console')): Surface {
  const files = new Map<string, StaticFile>();
  const read = (name: string): StaticFile | null => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const file = StaticFile.read(join(folder, name));
    if (file === null) return null;
    // The page names the assets: it is read on each request, so that it refers to those of a newer build.
    if (name !== 'index.html') files.set(name, file);
    return file;
  };
  return {
    name: 'console',
    routes: (app) => {
      const config = { access: { kind: 'public' } } as const;
      const page = { 200: { description: 'The page.', content: { 'text/html': { schema: Type.String() } } } };
      app.get(
        '/console',
        {
          config,
          schema: {
            summary: 'Get the web console',
            tags: ['Platform'],
            querystring: PageQuery,
            response: page,
          },
        },
        async (request, reply) => {
          const file = read('index.html');
          reply.headers({
            'content-security-policy': POLICY,
            'cache-control': 'no-cache',
            'referrer-policy': 'no-referrer',
            'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
          });
          if (file === null) return reply.type(HTML).send(MISSING);
          return file.send(request, reply.type(HTML));
        },
      );
      app.get<{ Params: Asset }>(
        '/console/assets/:file',
        {
          config: { ...config, errors: ['not_found'] },
          schema: {
            summary: 'Get a script or style sheet of the console',
            tags: ['Platform'],
            params: Asset,
            response: {
              200: {
                description: 'The file.',
                content: { 'text/javascript': { schema: Type.String() } },
              },
            },
          },
        },
        async (request, reply) => {
          const { file: name } = request.params;
          const file = read(join('assets', name));
          if (file === null) throw new ApiError('not_found', 'The console has no such file.');
          reply.header('cache-control', 'public, max-age=31536000, immutable');
          return file.send(request, reply.type(TYPES[name.split('.').at(-1) as string] ?? 'text/plain'));
        },
      );
    },
  };
}
