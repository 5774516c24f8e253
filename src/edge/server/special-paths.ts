import { ApiError } from '../../foundation/platform/errors.ts';
import type { SpecialPath } from './rest/not-found.ts';
import type { SocketRoute } from './surface.ts';

const MIGRATION =
  'The Omni v2 chat URL is discontinued. Connect to /v1/omni: move the agent or agent_id query value to session_label, ' +
  'remove model, and replace the access_token query parameter with the subprotocol or api_key.';

export function specialPaths(sockets: readonly SocketRoute[]): SpecialPath[] {
  return [
    { path: '/v2/omni/chat', error: () => new ApiError('not_found', MIGRATION) },
    ...sockets.map(({ path }) => ({
      path,
      methods: ['GET', 'HEAD'],
      error: () =>
        new ApiError(
          'upgrade_required',
          `${path} only accepts WebSocket connections, and the request has no header Upgrade: websocket.`,
          {
            headers: { upgrade: 'websocket', connection: 'close' },
          },
        ),
    })),
  ];
}
