{{- define "trunkline.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- define "trunkline.labels" -}}
app.kubernetes.io/name: trunkline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "trunkline.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ if .Values.gpu.enabled }}-gpu{{ else if .Values.image.full }}-full{{ end }}
{{- end }}
{{- define "trunkline.check" -}}
{{- $many := or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled -}}
{{- if and $many (not .Values.existingSecret) -}}
{{- fail "more than one node needs existingSecret: a Secret with TRUNKLINE_DATABASE_URL, TRUNKLINE_REDIS_URL, TRUNKLINE_S3_BUCKET and TRUNKLINE_KEY_SECRET, which all nodes share" -}}
{{- end -}}
{{- end }}
