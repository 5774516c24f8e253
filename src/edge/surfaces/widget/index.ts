import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import type { Surface } from '../../server/surface.ts';

const FOLDER = join(PROJECT_ROOT, 'src/apps/widget');
const REVALIDATE_CACHE = 'public, max-age=300';
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';
/** The policy allows scripts, styles and requests of this server only, and the microphone. */
const DEMO_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const Version = Type.Object({
  version: Type.String({ maxLength: 8, pattern: '^v[0-9]+$', examples: ['v12'] }),
});
type Version = Static<typeof Version>;

interface WidgetScript {
  readonly bytes: Buffer;
  readonly etag: string;
}

function scriptOf(path: string): WidgetScript {
  const bytes = readFileSync(path);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Published scripts have one file per version, which never changes. */
function publishedScripts(): ReadonlyMap<string, WidgetScript> {
  const files = readdirSync(join(FOLDER, 'published'));
  const scripts = files.flatMap((file) => {
    const version = /^widget-(v\d+)\.js$/.exec(file)?.[1];
    return version === undefined ? [] : [[version, scriptOf(join(FOLDER, 'published', file))] as const];
  });
  return new Map(scripts);
}

const config = { access: { kind: 'public' } } as const;
const scriptAnswers = {
  200: { description: 'The script.', content: { 'text/javascript': { schema: Type.String() } } },
  304: { description: 'Not modified.', content: {} },
};

function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  script: WidgetScript,
  keep: string,
): unknown {
  reply.headers({
    etag: script.etag,
    'cache-control': keep,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (request.headers['if-none-match'] === script.etag) return reply.code(304).send();
  return reply.type('text/javascript; charset=utf-8').send(script.bytes);
}

export function createWidgetSurface(): Surface {
  const newest = scriptOf(join(FOLDER, 'widget.js'));
  const published = publishedScripts();
  return {
    name: 'widget',
    routes: (app) => {
      app.get(
        '/widget.js',
        {
          config,
          schema: {
            summary: 'Get the current script of the <trunkline-call> web component',
            tags: ['Omni'],
            response: scriptAnswers,
          },
        },
        async (request, reply) => sendScript(request, reply, newest, REVALIDATE_CACHE),
      );
      app.get<{ Params: Version }>(
        '/widget/:version/widget.js',
        {
          config: { ...config, errors: ['not_found'] },
          schema: {
            summary: 'Get a published version of the script, which never changes',
            tags: ['Omni'],
            params: Version,
            response: scriptAnswers,
          },
        },
        async (request, reply) => {
          const script = published.get(request.params.version);
          if (script === undefined) throw new ApiError('not_found', 'there is no widget with this version');
          return sendScript(request, reply, script, IMMUTABLE_CACHE);
        },
      );
      registerDemo(app);
    },
  };
}

function registerDemo(app: FastifyInstance): void {
  const files = [
    ['/demo', 'demo.html', 'text/html', 'Get the demo page'],
    ['/demo/demo.js', 'demo.js', 'text/javascript', 'Get the script of the demo page'],
    ['/demo/demo.css', 'demo.css', 'text/css', 'Get the style sheet of the demo page'],
  ] as const;
  for (const [path, file, type, summary] of files) {
    const bytes = readFileSync(join(FOLDER, file));
    const answer = { 200: { description: summary, content: { [type]: { schema: Type.String() } } } };
    app.get(
      path,
      { config, schema: { summary, tags: ['Platform'], response: answer } },
      async (_request, reply) => reply.headers(DEMO_HEADERS).type(`${type}; charset=utf-8`).send(bytes),
    );
  }
}
