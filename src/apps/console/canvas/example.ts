import { t } from '../i18n/index.ts';
import type { Flow } from './document.ts';

export const exampleFlow = (): Flow => ({
  start: 'welcome',
  nodes: [
    { id: 'welcome', type: 'say', instruction: t('Greet the caller and ask what you can do for them.') },
    {
      id: 'details',
      type: 'ask',
      required: true,
      slots: [
        { name: 'day', kind: 'date', label: t('the day of your visit') },
        { name: 'name', kind: 'name', label: t('your name') },
      ],
    },
    { id: 'done', type: 'end', say: t('Thank you, {name}. We look forward to your visit. Goodbye.') },
    { id: 'person', type: 'transfer', to: 'desk', summary: '{name}, {day}' },
  ],
  edges: [
    { from: 'welcome', to: 'details', when: { intent: 'appointment', phrases: [t('an appointment')] } },
    { from: 'welcome', to: 'person', when: { attempts: true } },
    { from: 'details', to: 'done' },
    { from: 'details', to: 'person', when: { attempts: true } },
  ],
  globals: [{ to: 'person', when: { intent: 'wants_person' } }],
});

export const emptyFlow = (): Flow => ({ start: 'say', nodes: [{ id: 'say', type: 'say' }], edges: [] });
