import { post, remove } from '../data/api.ts';
import { number, orNothing } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

const EXAMPLE = {
  name: 'find_order',
  kind: 'client',
  description: 'Finds an order by its number',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
};

export function Tools() {
  return (
    <Page title={t('Tools')}>
      <Resource
        caption={t('Tools')}
        path="/v1/tools"
        teach={{
          icon: 'tool',
          says: t(
            'With a tool an agent does something while it talks: it asks your server, an MCP server, or the caller’s program.',
          ),
          example: { label: t('Load an example'), run: () => post('/v1/tools', EXAMPLE) },
          samples: samplesOf('POST', '/v1/tools', EXAMPLE),
        }}
        columns={[
          { label: t('Name'), of: (row) => row.name },
          { label: t('Id'), of: (row) => <code>{row.id}</code> },
          { label: t('Kind'), of: (row) => row.kind },
          { label: t('What it does'), of: (row) => row.description },
          { label: t('Address'), of: (row) => orNothing(row.url) },
          { label: t('Waits (ms)'), of: (row) => number(row.timeout_ms), numeric: true },
        ]}
        create={{
          label: t('Make a tool'),
          fields: [
            { name: 'name', label: t('Name'), needed: true },
            {
              name: 'kind',
              label: t('Kind'),
              kind: 'choice',
              options: [
                ['webhook', t('A server of yours')],
                ['client', t('The caller’s program')],
                ['mcp', t('An MCP server')],
              ],
              value: 'webhook',
            },
            { name: 'description', label: t('What it does'), kind: 'area' },
            { name: 'url', label: t('Address') },
            { name: 'parameters', label: t('Arguments (JSON Schema)'), kind: 'json' },
            { name: 'confirm', label: t('Ask the caller before it is used'), kind: 'check' },
          ],
        }}
        acts={[{ label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/tools/${row.id}`)) }]}
      />
    </Page>
  );
}
