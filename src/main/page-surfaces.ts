import { createConsoleSurface } from '../edge/surfaces/console/index.ts';
import { createWidgetSurface } from '../edge/surfaces/widget/index.ts';

export const pageSurfaces = () => [createWidgetSurface(), createConsoleSurface()];
