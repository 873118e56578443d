{{/* Names and labels, and what the servers and the migration have in common. */}}

{{- define "milepost.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "milepost.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "milepost.labels" -}}
{{ include "milepost.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "milepost.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "milepost.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "milepost.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Settings as variables; of secrets the names of the files that hold them. */}}
{{- define "milepost.env" -}}
- name: MILEPOST_URL_FILE
  value: /run/secrets/milepost/url
- name: MILEPOST_KEY_FILE
  value: /run/secrets/milepost/key
{{- range $name, $value := .Values.settings }}
- name: MILEPOST_{{ upper $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $source := .Values.secretSettings }}
- name: MILEPOST_{{ upper $name }}_FILE
  value: /run/secrets/milepost/{{ $name }}
{{- end }}
{{- end -}}

{{- define "milepost.mounts" -}}
- name: secrets
  mountPath: /run/secrets/milepost
  readOnly: true
- name: tmp
  mountPath: /tmp
- name: cache
  mountPath: /var/cache/milepost
{{- end -}}

{{- define "milepost.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ required "database.secret is missing: the name of a Secret with the URL of a PostgreSQL that is kept elsewhere" .Values.database.secret }}
          items:
            - key: {{ .Values.database.key }}
              path: url
      - secret:
          name: {{ required "server.secret is missing: the name of a Secret with the key that clients must know" .Values.server.secret }}
          items:
            - key: {{ .Values.server.key }}
              path: key
      {{- range $name, $source := .Values.secretSettings }}
      - secret:
          name: {{ $source.secret }}
          items:
            - key: {{ $source.key }}
              path: {{ $name }}
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.scratchSize }}
- name: cache
  emptyDir:
    sizeLimit: {{ .Values.scratchSize }}
{{- end -}}

{{- define "milepost.scheduling" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
