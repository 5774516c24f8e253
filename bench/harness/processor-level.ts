/**
 * Returns the settings that restrict this process to a lesser processor, for the servers that it starts (`npm run
 * bench -- processors`).
 */
export const processorLevelEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['TRUNKLINE_CPU', 'TRUNKLINE_ORT_LIBRARY'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
