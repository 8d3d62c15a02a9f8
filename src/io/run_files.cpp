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

TrajectoryFile::TrajectoryFile(const std::string& path, const World& world)
    : file_(path, "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen"), bodies_(world.bodies()) {
  names_.reserve(bodies_.size());
  for (const BodyHandle body : bodies_) names_.push_back(csv_field(world.name(body)));
}

void TrajectoryFile::sample(const World& world) {
  // No suite of this version freezes bodies.
  constexpr int kFrozen = 0;
  const std::string time = fmt::format("{}", world.time());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyState state = world.state(bodies_[i]);
    const Quat& q = state.orientation;
    file_.print("{},{},{},{},{},{},{},{},{},{}\n", time, names_[i], state.position, q.w, q.x, q.y, q.z, state.velocity,
                state.angular_velocity, kFrozen);
  }
}

MetricsFile::MetricsFile(const std::string& path)
    : file_(path,
            "time,contacts,active_contacts,frozen,collision_seconds,contact_seconds,detect_seconds,step_seconds,"
            "kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,max_penetration,residual_model,"
            "residual_coulomb,iterations") {}

void MetricsFile::add(const StepReport& r) {
  file_.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.time, r.contacts, r.active_contacts, r.frozen,
              r.seconds.collisions, r.seconds.contacts, r.seconds.detect, r.seconds.total, r.kinetic_energy,
              r.potential_energy, r.momentum, r.max_penetration, r.residual_model, r.residual_coulomb, r.iterations);
}

ContactsFile::ContactsFile(const std::string& path)
    : file_(path, "time,id,body_a,body_b,px,py,pz,nx,ny,nz,gap,jx,jy,jz,kx,ky,kz,mode") {}

void ContactsFile::sample(const World& world) {
  const std::string time = fmt::format("{}", world.time());
  for (const ContactRecord& c : world.contacts())
    file_.print("{},{},{},{},{},{},{},{},{},{}\n", time, c.id, csv_field(world.name(c.a)), csv_field(world.name(c.b)),
                c.point, c.normal, c.gap, c.impulse, c.collision_impulse, mode_name(c.mode));
}

const char* mode_name(ContactMode mode) {
  switch (mode) {
    case ContactMode::Stick:
      return "stick";
    case ContactMode::Slide:
      return "slide";
    case ContactMode::Inactive:
      return "inactive";
    case ContactMode::Separating:
      break;
  }
  return "separating";
}

}  // namespace carom
