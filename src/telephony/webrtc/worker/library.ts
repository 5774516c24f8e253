/** The one place that loads the WebRTC library: only the process of the peers does. */
export type Library = typeof import('node-datachannel');

export const loadLibrary = async (): Promise<Library> => {
  const library = await import('node-datachannel');
  library.initLogger('Fatal', () => undefined);
  return library;
};
