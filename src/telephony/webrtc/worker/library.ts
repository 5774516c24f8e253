/** Only the peer process loads the WebRTC library, and only here. */
export type Library = typeof import('node-datachannel');

export const loadLibrary = async (): Promise<Library> => {
  const library = await import('node-datachannel');
  library.initLogger('Fatal', () => undefined);
  return library;
};
