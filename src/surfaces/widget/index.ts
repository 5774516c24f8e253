import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { PROJECT_ROOT } from '../../platform/project-root.ts';
import type { Surface } from '../../server/surface.ts';

/** Pages keep it for so long without asking. */
const FRESH_SECONDS = 300;

/** The script with which a page calls an agent. */
export function createWidgetSurface(): Surface {
  const script = readFileSync(join(PROJECT_ROOT, 'src/web/widget.js'));
  const etag = `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"`;
  return {
    name: 'widget',
    routes: (app) => {
      app.get(
        '/widget.js',
        {
          config: { access: { kind: 'public' } },
          schema: {
            summary: 'The script that gives a page the element <trunkline-call>',
            tags: ['Omni'],
            response: {
              200: { description: 'The script', content: { 'text/javascript': { schema: Type.String() } } },
              304: { description: 'It is what the page has already', content: {} },
            },
          },
        },
        async (request, reply) => {
          reply.headers({
            etag,
            'cache-control': `public, max-age=${FRESH_SECONDS}`,
            'access-control-allow-origin': '*',
            'cross-origin-resource-policy': 'cross-origin',
          });
          if (request.headers['if-none-match'] === etag) return reply.code(304).send();
          return reply.type('text/javascript; charset=utf-8').send(script);
        },
      );
    },
  };
}
