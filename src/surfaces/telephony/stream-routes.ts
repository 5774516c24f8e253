import type { StreamDock } from '../../carriers/index.ts';
import { carrier } from '../../media/index.ts';
import type { SocketMessages, SocketRoute } from '../../server/surface.ts';

/** The carriers' media-stream protocol, for the description. */
export const mediaStreamMessages = (title: string, summary: string): SocketMessages => ({
  title,
  summary,
  client: [
    { name: 'connected', summary: 'Ignored', schema: carrier.ConnectedMessage },
    { name: 'start', summary: 'The call, and its parameters', schema: carrier.StartMessage },
    { name: 'media', summary: 'Sound of the other side', schema: carrier.MediaMessage },
    { name: 'mark', summary: 'What was sent before it has been played', schema: carrier.MarkMessage },
    { name: 'dtmf', summary: 'A key that the other side pressed', schema: carrier.DtmfMessage },
    { name: 'stop', summary: 'The call has ended', schema: carrier.StopMessage },
  ],
  server: [
    { name: 'media', summary: 'Sound for the other side, at most 200 ms ahead', schema: carrier.SentMedia },
    { name: 'mark', summary: 'Comes back once the sound before it was played', schema: carrier.SentMark },
    { name: 'clear', summary: 'Throws away what was not played yet', schema: carrier.SentClear },
  ],
});

/** Streams of managed calls: each brings the token of its call. */
export const dockRoute = (path: string, dock: StreamDock): SocketRoute => ({
  path,
  access: { kind: 'signed' },
  maxFrameBytes: carrier.MAX_MESSAGE_BYTES,
  messages: mediaStreamMessages(
    'Streams of managed calls',
    'The sound of a call that this server manages. Only its carrier opens it, with the token of the call.',
  ),
  accept: async () => ({ open: (socket) => dock.open(socket) }),
});
