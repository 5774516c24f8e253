export const processorLevelEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['TRUNKLINE_CPU', 'TRUNKLINE_ORT_LIBRARY'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
