#include "io/run_files.h"

#include <fmt/format.h>

/// `x,y,z`
template <>
struct fmt::formatter<carom::Vec3> : fmt::formatter<double> {
  template <class Context>
  auto format(const carom::Vec3& v, Context& context) const {
    return fmt::format_to(context.out(), "{},{},{}", v.x, v.y, v.z);
  }
};

namespace carom {
namespace {

/// Names as they stand in a table.
std::vector<std::string> fields(const Cast& cast) {
  std::vector<std::string> names;
  names.reserve(cast.bodies.size());
  for (const CastBody& body : cast.bodies) names.push_back(csv_field(body.name));
  return names;
}

}  // namespace

TrajectoryFile::TrajectoryFile(const std::string& path, const Cast& cast)
    : TableFile(path, "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen"), names_(fields(cast)) {}

void TrajectoryFile::add_frame(const Frame& frame) {
  const std::string time = fmt::format("{}", frame.time);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const BodyState& state = frame.bodies[i];
    const Quat& q = state.orientation;
    file().print("{},{},{},{},{},{},{},{},{},{}\n", time, names_[i], state.position, q.w, q.x, q.y, q.z, state.velocity,
                 state.angular_velocity, int{frame.frozen[i]});
  }
}

MetricsFile::MetricsFile(const std::string& path)
    : TableFile(path,
                "time,contacts,active_contacts,frozen,collision_seconds,contact_seconds,detect_seconds,step_seconds,"
                "kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,max_penetration,residual_model,"
                "residual_coulomb,iterations") {}

void MetricsFile::add_step(const StepReport& r) {
  file().print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.time, r.contacts, r.active_contacts, r.frozen,
               r.seconds.collisions, r.seconds.contacts, r.seconds.detect, r.seconds.total, r.kinetic_energy,
               r.potential_energy, r.momentum, r.max_penetration, r.residual_model, r.residual_coulomb, r.iterations);
}

ContactsFile::ContactsFile(const std::string& path, const Cast& cast)
    : TableFile(path, "time,id,body_a,body_b,px,py,pz,nx,ny,nz,gap,jx,jy,jz,kx,ky,kz,mode"), names_(fields(cast)) {}

void ContactsFile::add_frame(const Frame& frame) {
  const std::string time = fmt::format("{}", frame.time);
  for (const FrameContact& c : frame.contacts)
    file().print("{},{},{},{},{},{},{},{},{},{}\n", time, c.id, names_[static_cast<std::size_t>(c.a)],
                 names_[static_cast<std::size_t>(c.b)], c.point, c.normal, c.gap, c.impulse, c.collision_impulse,
                 mode_name(c.mode));
}

EventsFile::EventsFile(const std::string& path, const Cast& cast)
    : TableFile(path, "time,body_a,body_b,kind,px,py,pz,nx,ny,nz,jx,jy,jz,approach,modes,energy_loss"),
      names_(fields(cast)) {
  file().flush();  // a run without impacts leaves a table without rows, however it ends
}

void EventsFile::add_events(const StepEvents& events) {
  for (const FrameEvent& e : events.events) {
    file().print("{},{},{},{},{},{},{},{},", e.time, names_[static_cast<std::size_t>(e.a)],
                 names_[static_cast<std::size_t>(e.b)], event_kind_name(e.kind), e.point, e.normal, e.impulse,
                 e.approach);
    const char* separator = "";
    for (const ImpactMode mode : e.all_modes()) {
      file().print("{}{}", separator, impact_mode_name(mode));
      separator = ">";
    }
    file().print(",{}\n", e.energy_loss);
  }
  file().flush();
}

const char* mode_name(ContactMode mode) {
  switch (mode) {
    case ContactMode::Stick:
      return "stick";
    case ContactMode::Slide:
      return "slide";
    case ContactMode::Inactive:
      return "inactive";
    case ContactMode::Guard:
      return "guard";
    case ContactMode::Separating:
      break;
  }
  return "separating";
}

}  // namespace carom
