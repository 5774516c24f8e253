import { type Json, patch, remove } from '../data/api.ts';
import { time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ConfirmByTyping } from '../kit/confirm-by-typing.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { Resource } from '../kit/resource.tsx';

const again = () => location.reload();

export function Organization() {
  const { data, error } = useLoad('/auth/session');
  if (data === null) return <LoadingState error={error} />;
  const { organization } = data;
  const rename = async (values: object) => {
    await patch('/v1/organization', values);
    again();
  };
  const close = async () => {
    await remove('/v1/organization');
    again();
  };
  return (
    <Page title={t('Organization')}>
      <div class="card">
        <h2>{t('Rename the organization')}</h2>
        <Form
          submit={t('Save')}
          onSubmit={rename}
          fields={[{ name: 'name', label: t('Name'), value: organization.name, needed: true }]}
        />
      </div>
      <h2>{t('Projects')}</h2>
      <Resource
        caption={t('Projects')}
        path="/v1/projects"
        columns={[
          { label: t('Name'), of: (row) => row.name },
          { label: 'ID', of: (row) => row.id },
          { label: t('Made'), of: (row) => time(row.created_at) },
        ]}
        create={{
          label: t('Make a project'),
          fields: [{ name: 'name', label: t('Name'), needed: true }],
        }}
        acts={[
          { label: t('Rename'), run: async (row) => <RenameProject project={row} /> },
          { label: t('Delete'), danger: true, run: async (row) => <DeleteProject project={row} /> },
        ]}
      />
      <h2>{t('Delete the organization')}</h2>
      <div class="card">
        <p>
          {t(
            'All projects, calls, recordings, keys and accounts of its people are deleted. This cannot be undone.',
          )}
        </p>
        <ConfirmByTyping label={t('Delete the organization')} word={organization.name} run={close} />
      </div>
    </Page>
  );
}

function RenameProject({ project }: { readonly project: Json }) {
  const rename = async (values: object) => {
    await patch(`/v1/projects/${project.id}`, values);
    again();
  };
  return (
    <div class="card">
      <h2>{t('Rename {name}', { name: project.name })}</h2>
      <Form
        submit={t('Save')}
        onSubmit={rename}
        fields={[{ name: 'name', label: t('Name'), value: project.name, needed: true }]}
      />
    </div>
  );
}

function DeleteProject({ project }: { readonly project: Json }) {
  const close = async () => {
    await remove(`/v1/projects/${project.id}`);
    again();
  };
  return (
    <div class="card">
      <h2>{t('Delete {name}', { name: project.name })}</h2>
      <p>{t('Its calls, recordings, documents and keys are deleted. This cannot be undone.')}</p>
      <ConfirmByTyping label={t('Delete')} word={project.name} run={close} />
    </div>
  );
}
