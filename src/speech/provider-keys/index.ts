export {
  MOST_KEYS,
  type ProviderKey,
  type ProviderKeyPurpose,
  type ProviderKeySettings,
  ProviderKeys,
} from './provider-keys.ts';
