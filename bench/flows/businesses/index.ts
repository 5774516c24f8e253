import type { Business } from '../business.ts';
import { CARD } from './card.ts';
import { CONTRACT } from './contract.ts';
import { DENTIST } from './dentist.ts';
import { PARCEL } from './parcel.ts';
import { SHOES } from './shoes.ts';

export const BUSINESSES: readonly Business[] = [SHOES, DENTIST, CARD, PARCEL, CONTRACT];
