/**
 * Options of Ajv for schemas that this program wrote itself: compiling the schema of schemas, to check ours against it,
 * would take a second of the processor at each start.
 */
export const OWN_SCHEMAS = { meta: false, validateSchema: false } as const;
