"""Files for deployments: rules of Prometheus, dashboards of Grafana."""
