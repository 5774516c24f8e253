import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { AudioClip } from '../kit/audio-clip.tsx';
import { Form } from '../kit/form.tsx';
import { notify } from '../kit/toast.tsx';

export function DesignVoice() {
  const [design, setDesign] = useState<Json>(null);
  const [saved, setSaved] = useState<Json>(null);
  const save = async (values: Json) => {
    setSaved(await post(`/v1/voice/design/${design.id}/save`, values));
    notify(t('The voice was created.'));
  };
  return (
    <details class="card">
      <summary>{t('Design a voice')}</summary>
      <Form
        submit={t('Make candidates')}
        onSubmit={async (values) => setDesign(await post('/v1/voice/design', values))}
        fields={[
          {
            name: 'description',
            label: t('How the voice sounds'),
            kind: 'area',
            needed: true,
            value: 'a warm, low voice that speaks slowly',
            hint: t('In English: pitch, pace, warmth, age.'),
          },
        ]}
      />
      {design !== null && (
        <>
          <p class="quiet">{t('Understood: {words}', { words: design.understood.join(', ') || '–' })}</p>
          <ul class="list">
            {design.candidates.map(({ candidate_id }: Json, nth: number) => (
              <li key={candidate_id}>
                <span class="grow">{t('Candidate {n}', { n: nth + 1 })}</span>
                <AudioClip
                  path={`/v1/voice/design/${design.id}/preview/${candidate_id}`}
                  label={t('Candidate {n}', { n: nth + 1 })}
                />
              </li>
            ))}
          </ul>
          <Form
            key={design.id}
            submit={t('Keep it')}
            onSubmit={save}
            fields={[
              {
                name: 'candidate_id',
                label: t('Candidate'),
                kind: 'choice',
                options: design.candidates.map(({ candidate_id }: Json, nth: number) => [
                  candidate_id,
                  String(nth + 1),
                ]),
              },
              { name: 'name', label: t('Name of the voice'), needed: true },
            ]}
          />
        </>
      )}
      {saved !== null && (
        <p role="status">
          {saved.name} <code>{saved.voice_id}</code>
        </p>
      )}
    </details>
  );
}
