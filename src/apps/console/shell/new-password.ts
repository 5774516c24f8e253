import { t } from '../i18n/index.ts';
import type { Field } from '../kit/form.tsx';

export const newPassword = (): Field => ({
  name: 'password',
  label: t('Password'),
  kind: 'password',
  needed: true,
  autocomplete: 'new-password',
  hint: t('At least eight characters.'),
});
