import type { Cases } from '../case.ts';

export const mcpCases: Cases = {
  'POST /mcp': { good: () => ({ json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }) },
};
